import { type DecodedText, withoutEscapes, withoutLineBreaks, withoutSeparators } from './decoded-text.ts';

/** The shortest encoded form that cannot occur by chance. */
const MIN_CHARS = 8;
/** JSON inside JSON inside an address. */
const MAX_LAYERS = 3;

type Range = readonly [from: number, to: number];

export interface SearchedSecrets {
  /** As they are and escaped. */
  readonly anywhere: readonly string[];
  /** The same, but not as a part of a longer word. */
  readonly words?: readonly string[];
  /** In base64 and hex. */
  readonly encoded: readonly string[];
}

/** Finds secrets in a text: as they are, escaped in any common way, and in base64 or hex, also inside a longer text. */
export class SecretSearch {
  readonly #anywhere: readonly string[];
  readonly #words: readonly string[];
  readonly #base64: readonly string[];
  readonly #hex: readonly string[];

  constructor({ anywhere, words = [], encoded }: SearchedSecrets) {
    this.#anywhere = withForms(anywhere);
    this.#words = withForms(words);
    this.#base64 = encoded.flatMap((secret) => [0, 1, 2].map((offset) => base64Within(secret, offset))).filter(isLong);
    this.#hex = encoded.map((secret) => Buffer.from(secret).toString('hex')).filter(isLong);
  }

  get isEmpty(): boolean {
    return this.#anywhere.length + this.#words.length + this.#base64.length + this.#hex.length === 0;
  }

  /** The text with each secret replaced. */
  replace(text: string, by: string): string {
    const parts: string[] = [];
    let last = 0;
    for (const [from, to] of joined(this.#rangesIn(text))) {
      parts.push(text.slice(last, from), by);
      last = to;
    }
    return last === 0 ? text : parts.join('') + text.slice(last);
  }

  #rangesIn(text: string, layer = 0): readonly Range[] {
    return [
      ...placesOf(this.#anywhere, text),
      ...placesOf(this.#words, text).filter(([from, to]) => isWord(text, from, to)),
      ...through(withoutLineBreaks(text), text, (lines) => this.#base64In(lines)),
      ...through(withoutSeparators(text), text, (digits) => placesOf(this.#hex, digits.toLowerCase())),
      ...(layer === MAX_LAYERS ? [] : through(withoutEscapes(text), '', (plain) => this.#rangesIn(plain, layer + 1))),
    ];
  }

  /** With the characters beside it that hold a few of its bits. */
  #base64In(text: string): readonly Range[] {
    return placesOf(this.#base64, text.replaceAll('-', '+').replaceAll('_', '/')).map(([from, to]) => {
      const before = /[A-Za-z0-9+/_-]*$/.exec(text.slice(Math.max(0, from - 3), from))![0];
      const after = /^[A-Za-z0-9+/_-]{0,3}={0,2}/.exec(text.slice(to, to + 5))![0];
      return [from - before.length, to + after.length];
    });
  }
}

/** A form writes a space as a plus sign. */
const withForms = (secrets: readonly string[]): readonly string[] => [
  ...new Set(secrets.flatMap((secret) => [secret, secret.replaceAll(' ', '+')])),
];

const isWord = (text: string, from: number, to: number): boolean =>
  !/[\p{L}\p{N}]/u.test(text.slice(Math.max(0, from - 1), from)) && !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2));

const isLong = (text: string): boolean => text.length >= MIN_CHARS;

/** What is found in a decoded text, as places of the text before. `otherwise` is searched if nothing was encoded. */
function through(
  decoded: DecodedText | undefined,
  otherwise: string,
  find: (text: string) => readonly Range[],
): readonly Range[] {
  if (decoded === undefined) return otherwise === '' ? [] : find(otherwise);
  return find(decoded.text).map(([from, to]) => decoded.before(from, to));
}

function placesOf(needles: readonly string[], text: string): readonly Range[] {
  const found: Range[] = [];
  for (const needle of needles) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
      found.push([at, at + needle.length]);
    }
  }
  return found;
}

/** In order, those that touch as one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const all: Range[] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = all.at(-1);
    if (last === undefined || from > last[1]) all.push([from, to]);
    else all[all.length - 1] = [last[0], Math.max(last[1], to)];
  }
  return all;
}

/** The part of the base64 text that depends on the secret alone, if `offset` bytes (modulo 3) precede it. */
function base64Within(secret: string, offset: number): string {
  const bytes = Buffer.from(secret);
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const from = Math.ceil((offset * 8) / 6);
  return text.slice(from, Math.floor(((offset + bytes.length) * 8) / 6));
}
