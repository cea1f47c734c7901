/** A text with an encoding taken off. */
export interface DecodedText {
  readonly text: string;
  /** Where the part from `from` to `to` is in the text before. */
  before(from: number, to: number): readonly [number, number];
}

interface Edit {
  /** In the decoded text. */
  readonly at: number;
  readonly end: number;
  /** In the text before. */
  readonly from: number;
  readonly to: number;
}

/** The text with each match of a pattern replaced. Undefined if there is none. */
function replaced(before: string, pattern: RegExp, plain: (match: string) => string): DecodedText | undefined {
  const edits: Edit[] = [];
  const parts: string[] = [];
  let length = 0;
  let last = 0;
  for (const { 0: match, index } of before.matchAll(pattern)) {
    const kept = before.slice(last, index);
    const to = plain(match);
    parts.push(kept, to);
    last = index + match.length;
    const at = length + kept.length;
    length = at + to.length;
    edits.push({ at, end: length, from: index, to: last });
  }
  if (edits.length === 0) return undefined;
  parts.push(before.slice(last));
  return {
    text: parts.join(''),
    before: (from, to) => [placeOf(edits, from, false), placeOf(edits, to, true)],
  };
}

/** The place in the text before. `isEnd`: the end of a part, which does not reach into what follows it. */
function placeOf(edits: readonly Edit[], place: number, isEnd: boolean): number {
  let low = 0;
  let high = edits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { at } = edits[middle]!;
    if (isEnd ? at < place : at <= place) low = middle + 1;
    else high = middle;
  }
  const edit = edits[low - 1];
  if (edit === undefined) return place;
  if (place >= edit.end) return edit.to + place - edit.end;
  return isEnd ? edit.to : edit.from;
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** Of JSON, programs, addresses, forms, mail and HTML. */
const ESCAPES =
  /(?:%[0-9a-f]{2})+|(?:=[0-9A-F]{2})+|(?:\\x[0-9a-f]{2})+|\\u[0-9a-f]{4}|\\["'\\/bfnrt]|&(?:amp|apos|gt|lt|quot|#\d{1,7}|#x[0-9a-f]{1,6});/gi;

function unescaped(match: string): string {
  if (match.startsWith('&')) return entity(match.slice(1, -1));
  if (/^\\u/i.test(match)) return String.fromCharCode(Number.parseInt(match.slice(2), 16));
  if (match.startsWith('\\') && !/^\\x/i.test(match)) return CONTROLS[match.slice(1)] ?? match.slice(1);
  return Buffer.from(match.replaceAll(/%|=|\\x/gi, ''), 'hex').toString('utf8');
}

function entity(name: string): string {
  const code = name.startsWith('#') ? Number(name.slice(1).replace(/^x/i, '0x')) : 0;
  return name.startsWith('#') ? String.fromCodePoint(Math.min(code, 0x10ffff)) : (ENTITIES[name.toLowerCase()] ?? '');
}

/** One layer of escapes taken off: JSON inside JSON needs two calls. */
export const withoutEscapes = (text: string) => replaced(text, ESCAPES, unescaped);

/** Mail and PEM break base64 into lines. */
export const withoutLineBreaks = (text: string) => replaced(text, /[\r\n]+/g, () => '');

/** Hex digits one after the other: of `73:33`, `73 33`, `0x73, 0x33` and `%73%33`. */
export const withoutSeparators = (text: string) => replaced(text, /0x|\\x|\\u00|[ :,%=-]+/gi, () => '');
