/** `Café & Weather Agent` -> `café-weather-agent`: lower case, words joined by hyphens, letters of every script kept. */
export function slugOf(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
}
