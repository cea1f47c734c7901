import { createHash } from 'node:crypto';
import { trimChars } from '../../model/text/trim-chars.ts';

const HASH_CHARS = 10;
const LOOKS_HASHED = /-[0-9a-f]{10}$/;
const PLAIN = /^[a-zA-Z0-9._-]+$/;

/** Whether a text can be a slug unchanged: it loses no character, and does not look like a shortened slug. */
export function isPlain(text: string, maxChars: number): boolean {
  return text.length <= maxChars && PLAIN.test(text) && !LOOKS_HASHED.test(text);
}

/**
 * A path as one segment of a name: letters, digits and `._-`. `/context7` becomes `context7`. Any other path is shortened and
 * gets a checksum, so that each path has its own slug.
 */
export function stableSlug(path: string, maxChars: number): string {
  const rest = path.slice(1);
  if (path.startsWith('/') && isPlain(rest, maxChars)) return rest;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARS);
  const joined = path
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-zA-Z0-9._-]+/g, '-');
  const shown = trimChars(joined, '-.').slice(0, maxChars - HASH_CHARS - 1);
  return `${shown === '' ? 'entry' : shown}-${hash}`;
}
