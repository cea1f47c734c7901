export type Theme = 'light' | 'dark';

const KEY = 'dowser-theme';

export const currentTheme = (): Theme => {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
};

/** Before the first paint. Without a choice, the page follows the system. */
export function restoreTheme(): void {
  const chosen = readChoice();
  if (chosen !== null) document.documentElement.dataset.theme = chosen;
}

export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // A browser may refuse to store anything: the choice then lasts until the page is left.
  }
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
