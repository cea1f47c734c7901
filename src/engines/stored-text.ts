/**
 * SQLite stores UTF-8 up to the first NUL, and PostgreSQL takes none. A NUL or half a surrogate pair would be read back
 * changed or refused, and two ids could become one. Such characters are stored as `\uXXXX`, and so is the backslash, so that decoding is unique.
 */
const UNSAFE = /[\\\0]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ESCAPED = /\\u([0-9a-f]{4})/g;

export function toStoredText(text: string): string {
  return text.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

export function fromStoredText(stored: string): string {
  if (!stored.includes('\\')) return stored;
  return stored.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
