import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An API key: `dwsr_`, 43 characters of a random 256-bit number, 6 of a checksum. Scanners find leaked keys by the prefix, and
 * tell a key from a text that looks like one by the checksum, without asking a server.
 */
export const KEY_PREFIX = 'dwsr_';

const SECRET_BYTES = 32;
const SECRET_CHARS = 43;
const CHECKSUM_CHARS = 6;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}$`);

const KEY_IN_TEXT = new RegExp(`${KEY_PREFIX}[0-9A-Za-z]{${SECRET_CHARS + CHECKSUM_CHARS}}`);
/** How a part of a signed token begins: it is a JSON object. */
const OBJECT_START = /\beyJ/;
const MIN_PART_CHARS = 'eyJ'.length + 8;

/** Whether a URL has a key or a token anywhere, also if some of its characters are encoded. */
export function hasCredentialsIn(url: string): boolean {
  const decoded = url.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return KEY_IN_TEXT.test(decoded) || hasTokenIn(decoded);
}

/** Three parts with dots between. The first two are JSON objects. Each character is read a bounded number of times. */
function hasTokenIn(text: string): boolean {
  const parts = text.split('.');
  return parts.some((part, index) => {
    const second = parts[index + 1];
    if (second === undefined || index + 2 >= parts.length) return false;
    if (second.length < MIN_PART_CHARS || !/^eyJ[\w-]*$/.test(second)) return false;
    let start = part.length;
    while (start > 0 && /[\w-]/.test(part[start - 1]!)) start--;
    const first = part.slice(start);
    const at = first.search(OBJECT_START);
    return at !== -1 && first.length - at >= MIN_PART_CHARS;
  });
}

function toDigits(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= 62n) text = DIGITS[Number(rest % 62n)] + text;
  return text;
}

const checksumOf = (secret: string): string => toDigits(BigInt(crc32(secret)), CHECKSUM_CHARS);

export function newKey(): string {
  const secret = toDigits(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_CHARS);
  return `${KEY_PREFIX}${secret}${checksumOf(secret)}`;
}

/** Whether a text can be a key: its shape and checksum are right. */
export function isKey(text: string): boolean {
  if (!SHAPE.test(text)) return false;
  const secret = text.slice(KEY_PREFIX.length, -CHECKSUM_CHARS);
  return text.endsWith(checksumOf(secret));
}

/** What is stored of a key. A random number of 256 bits cannot be guessed from its hash, so a fast hash is enough. */
export function hashOfKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
