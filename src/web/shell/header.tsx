import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { AccessContext } from '../access/access.ts';
import { Mark, MoonIcon, SunIcon } from '../parts/icons.tsx';
import { Link } from '../parts/link.tsx';
import { chooseTheme, currentTheme } from './theme.ts';

/** Some of the page before it stays in sight. */
const EDGE = 48;

/** A page that the header may link to. */
interface LinkedPage {
  readonly path: string;
  readonly title: string;
  readonly inHeader: boolean;
  readonly writes?: true;
}

interface HeaderProps {
  readonly all: readonly LinkedPage[];
  readonly current: string | undefined;
  readonly onSignIn: () => void;
}

export function Header({ all, current, onSignIn }: HeaderProps) {
  const mayWrite = useContext(AccessContext)?.user?.can_modify_servers !== false;
  const pages = all.filter(({ inHeader, writes }) => inHeader && (mayWrite || writes !== true));
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the row of pages scrolls.
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (link != null && nav.current !== null) nav.current.scrollLeft = link.offsetLeft - nav.current.offsetLeft - EDGE;
  }, [current]);
  const [more, setMore] = useState('');
  const count = pages.length;
  // Where pages are out of sight, the row fades.
  useEffect(() => {
    const row = nav.current;
    if (row === null) return undefined;
    const look = () => {
      const isLeft = row.scrollLeft > 1;
      const isRight = row.scrollLeft + row.clientWidth < row.scrollWidth - 1;
      setMore(`${isLeft ? 'left ' : ''}${isRight ? 'right' : ''}`.trim());
    };
    look();
    row.addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      row.removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [count, current]);
  return (
    <header class="header">
      <Link href="/" class="brand" label="Dowser, to the search">
        <Mark />
        <span>Dowser</span>
      </Link>
      <nav aria-label="Pages" ref={nav} data-more={more}>
        {pages.map(({ path, title }) => (
          <Link key={path} href={path} isCurrent={path === current}>
            {title}
          </Link>
        ))}
      </nav>
      <Account onSignIn={onSignIn} />
      <ThemeButton />
    </header>
  );
}

/** Nothing where the server takes no keys. */
function Account({ onSignIn }: Pick<HeaderProps, 'onSignIn'>) {
  const access = useContext(AccessContext);
  if (access?.canSignIn !== true) return null;
  const { user } = access;
  if (user === undefined || user.auth_method === 'none') {
    return (
      <button type="button" class="small" onClick={onSignIn}>
        Sign in
      </button>
    );
  }
  return (
    <span class="account">
      <bdi title={`May ${user.scopes.join(', ')}`}>{user.username.replace(/^key:/, '')}</bdi>
      <button type="button" class="small" onClick={access.signOut}>
        Sign out
      </button>
    </span>
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
