import { useState } from 'preact/hooks';
import { PAGES } from '../pages.ts';
import { Mark, MoonIcon, SunIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { chooseTheme, currentTheme } from './theme.ts';

export function Header({ current }: { readonly current: string | undefined }) {
  return (
    <header class="header">
      <Link href="/" class="brand" label="Dowser, to the search">
        <Mark />
        <span>Dowser</span>
      </Link>
      <nav aria-label="Pages">
        {PAGES.filter(({ inHeader }) => inHeader).map(({ path, title }) => (
          <Link key={path} href={path} isCurrent={path === current}>
            {title}
          </Link>
        ))}
      </nav>
      <ThemeButton />
    </header>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const other = theme === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Use the ${other} theme`}
      onClick={() => {
        chooseTheme(other);
        setTheme(other);
      }}
    >
      {theme === 'dark' ? <SunIcon /> : <MoonIcon />}
    </button>
  );
}
