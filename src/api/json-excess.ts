import { LIMITS, type LimitName } from '../model/limits.ts';

/** The first place of a JSON text that exceeds a limit. */
export interface JsonExcess {
  readonly limit: Extract<LimitName, `json_${string}`>;
  /** The fields that lead there, as a dot path; '' at the top. */
  readonly field: string;
  readonly offset: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const MAX_PATH_KEYS = 3;
const MAX_KEY_CHARS = 40;

/** An object or list that is open at the current place. Its key is a range of the text. */
interface Open {
  readonly isList: boolean;
  commas: number;
  keyStart: number;
  keyEnd: number;
}

/**
 * Looks for an excess in one pass, before anything is made of the text: a million fields take seconds to parse and much longer
 * to check. Any text will do; whether it is JSON is found out later.
 */
export function jsonExcess(text: string): JsonExcess | null {
  const open: Open[] = [];
  let stringStart = 0;
  let stringEnd = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const inside = open.at(-1);
    if (code === QUOTE) {
      stringStart = at + 1;
      at = endOfString(text, stringStart);
      stringEnd = at;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (open.length === LIMITS.json_depth.max) return { limit: 'json_depth', field: pathOf(text, open), offset: at };
      open.push({ isList: code === OPEN_LIST, commas: 0, keyStart: 0, keyEnd: 0 });
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      open.pop();
    } else if (inside !== undefined && code === COLON) {
      inside.keyStart = stringStart;
      inside.keyEnd = stringEnd;
    } else if (inside !== undefined && code === COMMA) {
      inside.commas++;
      const limit = inside.isList ? 'json_items' : 'json_fields';
      if (inside.commas >= LIMITS[limit].max) return { limit, field: pathOf(text, open.slice(0, -1)), offset: at };
    }
  }
  return null;
}

/** The place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
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
