/** ISO 8601, or seconds or milliseconds since 1970. */
export function momentOf(value: unknown): string | undefined {
  const number = typeof value === 'number' ? value : Number.NaN;
  const ms = Number.isNaN(number) ? Date.parse(String(value ?? '')) : number > 1e11 ? number : number * 1000;
  return Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? undefined : new Date(ms).toISOString();
}
