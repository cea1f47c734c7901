import { trimChars } from './trim-chars.ts';

/** `Café & Weather Agent` -> `café-weather-agent`: lowercase words joined by hyphens. Keeps letters of every script. */
export function slugOf(name: string): string {
  const joined = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  return trimChars(joined, '-');
}
