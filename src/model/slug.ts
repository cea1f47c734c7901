/** `Café & Weather Agent` -> `café-weather-agent`: lowercase words joined by hyphens. Keeps letters of every script. */
export function slugOf(name: string): string {
  return name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
}
