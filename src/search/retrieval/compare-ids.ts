/** Code unit order, not a locale's: the same everywhere. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
