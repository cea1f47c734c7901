interface Source {
  readonly kind: string;
  readonly locator: Readonly<Record<string, unknown>>;
}

/** Where something came from: the address, the file, or the whole command with its arguments. */
export function sourceText({ kind, locator }: Source): string {
  const { command, args, ...others } = locator;
  const words = [command, ...(Array.isArray(args) ? args : []), ...Object.values(others)];
  const shown = words.filter((word) => typeof word === 'string').join(' ');
  return shown === '' ? kind : shown;
}
