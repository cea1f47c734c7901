/** What somebody types before the page has its search box. Without this, the first letters would be lost. */
let typed = '';
let isCatching = false;

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target !== document.body) return;
  if (event.key === 'Backspace') typed = typed.slice(0, -1);
  // `/` only goes to the box, which has the focus anyway.
  else if ([...event.key].length === 1 && (typed !== '' || event.key !== '/')) typed += event.key;
}

export function catchEarlyKeys(): void {
  isCatching = true;
  addEventListener('keydown', onKey);
}

/** Gives what was typed, once, and stops catching. */
export function takeEarlyKeys(): string {
  if (!isCatching) return '';
  isCatching = false;
  removeEventListener('keydown', onKey);
  return typed;
}
