import { LIMITS, type LimitName } from '../../model/parse/limits.ts';

/** The first place of a JSON text that exceeds a limit. */
export interface JsonExcess {
  readonly limit: Extract<LimitName, `json_${string}`>;
  /** The fields that lead there, as a dot path; '' at the top. */
  readonly field: string;
  readonly offset: number;
}

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;

const MAX_PATH_KEYS = 3;
const MAX_KEY_CHARS = 40;

/** An object or list that is open at the current place. Its key is a range of the text. */
interface Open {
  readonly isList: boolean;
  readonly start: number;
  commas: number;
  keyStart: number;
  keyEnd: number;
}

/** What one pass over a JSON text finds. */
export interface JsonScan {
  readonly excess: JsonExcess | null;
  /** Where each object and list ends that is longer than a slice, by where it starts. */
  readonly large: ReadonlyMap<number, number>;
  /** Something is open at the end: the text is cut. */
  readonly isCut: boolean;
}

/** Some milliseconds of work at most. */
export const SLICE_CHARS = 64 * 1024;

/**
 * Looks for an excess in one pass, before anything is made of the text: a million fields take seconds to parse and much longer
 * to check. Any text will do; whether it is JSON is found out later. Yields after every slice.
 */
export function* scanJson(text: string, sliceChars = SLICE_CHARS): Generator<void, JsonScan> {
  const open: Open[] = [];
  const large = new Map<number, number>();
  const beyond = (limit: JsonExcess['limit'], path: readonly Open[], offset: number): JsonScan => {
    return { excess: { limit, field: pathOf(text, path), offset }, large, isCut: false };
  };
  let stringStart = 0;
  let stringEnd = 0;
  let values = 0;
  let sliceEnd = sliceChars;
  for (let at = 0; at < text.length; at++) {
    if (at >= sliceEnd) {
      sliceEnd = at + sliceChars;
      yield;
    }
    const code = text.charCodeAt(at);
    const inside = open.at(-1);
    if (code === QUOTE) {
      stringStart = at + 1;
      at = endOfString(text, stringStart);
      stringEnd = at;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (open.length === LIMITS.json_depth.max) return beyond('json_depth', open, at);
      if (++values > LIMITS.json_values.max) return beyond('json_values', [], at);
      open.push({ isList: code === OPEN_LIST, start: at, commas: 0, keyStart: 0, keyEnd: 0 });
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      const closed = open.pop();
      if (closed !== undefined && at - closed.start > sliceChars) large.set(closed.start, at);
    } else if (inside !== undefined && code === COLON) {
      inside.keyStart = stringStart;
      inside.keyEnd = stringEnd;
    } else if (inside !== undefined && code === COMMA) {
      inside.commas++;
      const limit = inside.isList ? 'json_items' : 'json_fields';
      if (inside.commas >= LIMITS[limit].max) return beyond(limit, open.slice(0, -1), at);
      if (++values > LIMITS.json_values.max) return beyond('json_values', [], at);
    }
  }
  return { excess: null, large, isCut: open.length > 0 };
}

/** The place of the closing quote, or the end of the text. */
export function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** The first keys that lead to a place. Field names only: a value may be private. */
function pathOf(text: string, open: readonly Open[]): string {
  return open
    .slice(0, MAX_PATH_KEYS)
    .map(({ isList, commas, keyStart, keyEnd }) =>
      isList ? String(commas) : text.slice(keyStart, Math.min(keyEnd, keyStart + MAX_KEY_CHARS)),
    )
    .join('.');
}
