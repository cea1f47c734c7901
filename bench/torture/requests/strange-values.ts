import type { Random } from '../random.ts';

/** Foreign scripts, half characters, names with a meaning of their own, and what other languages take for code. */
const TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  'a\udfffb',
  '\u202etxt.exe',
  'خادم البريد',
  '邮件服务器を送る',
  '🧑‍🚀👩🏽‍💻',
  'Z̷̡̛a̴͚͝l̶̢g̸͉̋o̵͖̓',
  'ﬁﬂ①²Ⅷ',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '../../etc/passwd',
  '%00%ff%2e%2e',
  "'; DROP TABLE entities; --",
  '{{7*7}}%{7*7}',
  '<script>alert(1)</script>',
  '"\\"\n\r\t',
  '#tag #другой tag:x',
  'a'.repeat(600),
  'x '.repeat(3000),
  '('.repeat(500),
  '-1',
  'NaN',
  '1e309',
];

const NUMBERS: readonly number[] = [0, -0, -1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 31, 1e-320];

export function strangeText(random: Random): string {
  const text = random.pick(TEXTS);
  return random.chance(0.2) ? text + random.pick(TEXTS) : text;
}

/** A value of any type. */
export function anyValue(random: Random, depth = 0): unknown {
  const kind = random.int(depth > 3 ? 5 : 8);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick(NUMBERS);
  if (kind <= 4) return strangeText(random);
  if (kind === 5) return Array.from({ length: random.int(5) }, () => anyValue(random, depth + 1));
  if (kind === 6) return deep(random.int(150));
  return ownFields(Array.from({ length: random.int(5) }, () => [strangeText(random), anyValue(random, depth + 1)]));
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Also `__proto__` becomes a field of the text that is sent. */
function ownFields(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of entries)
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

/**
 * The same value with some parts replaced by others of any type, repeated, or left out. A list inside a repeated list is not repeated:
 * the text of three of them would not fit into memory.
 */
export function mutated(value: unknown, random: Random, share: number, mayRepeat = true): unknown {
  if (random.chance(share)) return anyValue(random);
  if (Array.isArray(value)) {
    const repeats = mayRepeat && random.chance(share);
    const items = value.map((item) => mutated(item, random, share, mayRepeat && !repeats));
    return repeats ? Array.from({ length: 300 }, (_, n) => items[n % Math.max(1, items.length)]) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(() => !random.chance(share))
    .map(([name, field]): [string, unknown] => [
      random.chance(share) ? strangeText(random) : name,
      mutated(field, random, share, mayRepeat),
    ]);
  if (random.chance(share)) fields.push([strangeText(random), anyValue(random)]);
  return ownFields(fields);
}

/** A damaged copy of a text: some characters are cut, doubled or changed. */
export function damagedText(text: string, random: Random): string {
  let damaged = text;
  for (let change = 0; change < 3; change++) {
    const at = random.int(damaged.length + 1);
    const piece = random.pick(['', damaged.slice(at, at + 20), '"', '}', '\u0000', '[', ',', '\\u', '\ud83d']);
    damaged = damaged.slice(0, at) + piece + damaged.slice(at + random.int(5));
  }
  return damaged;
}
