import { createHash } from 'node:crypto';

const HASH_CHARS = 10;
const LOOKS_HASHED = /-[0-9a-f]{10}$/;
const PLAIN = /^[a-zA-Z0-9._-]+$/;

/** Whether a text can stand in a name as it is: no character is lost, and it cannot be taken for a shortened one. */
export function isPlain(text: string, maxChars: number): boolean {
  return text.length <= maxChars && PLAIN.test(text) && !LOOKS_HASHED.test(text);
}

/**
 * A path as one segment of a name, of letters, digits and `._-`. `/context7` is `context7`; whatever is not as plain as
 * that keeps what it can and gets a checksum of the whole path, so that no two paths have one slug.
 */
export function stableSlug(path: string, maxChars: number): string {
  const rest = path.slice(1);
  if (path.startsWith('/') && isPlain(rest, maxChars)) return rest;
  const hash = createHash('sha256').update(path).digest('hex').slice(0, HASH_CHARS);
  const shown = path
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-zA-Z0-9._-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
    .slice(0, maxChars - HASH_CHARS - 1);
  return `${shown === '' ? 'entry' : shown}-${hash}`;
}
