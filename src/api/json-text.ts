import { DowserError, type ErrorCode } from '../model/errors.ts';

/** Deeper nesting than any document needs; without a bound, writing such a value out again overflows the stack. */
export const MAX_JSON_DEPTH = 200;

/**
 * Parses JSON from outside. The error says where the text stops being JSON and never repeats the text itself, which
 * may hold a key or a private query. `subject` names what was read ("request body").
 */
export function parseJson(text: string, subject: string, code: ErrorCode = 'MALFORMED_JSON'): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    const at = jsonErrorOffset(text);
    throw new DowserError(code, `The ${subject} is not JSON: it goes wrong at ${placeOf(text, at)}.`, {
      cause,
      hint: text.trim() === '' ? 'It is empty; send a JSON object.' : 'Check quotes, commas and brackets there.',
    });
  }
  const deep = tooDeepOffset(text);
  if (deep === -1) return parsed;
  throw new DowserError(code, `The ${subject} nests deeper than ${MAX_JSON_DEPTH} levels at ${placeOf(text, deep)}.`, {
    hint: 'Send a flatter document.',
  });
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `line ${line}, column ${offset - before.lastIndexOf('\n')} (character ${offset})`;
}

/** Where nesting passes the bound, or -1. Only for text that is JSON. */
function tooDeepOffset(text: string): number {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return i;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return -1;
}

const BLANK = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * The first character at which the text cannot go on as JSON; its length when it only ends too early.
 * Runtimes word their own message differently and often leave the position out. Runs on the error path only.
 */
function jsonErrorOffset(text: string): number {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  /** By hand, not by one pattern: a long string must not exhaust the pattern engine, and the error may be inside it. */
  const takeString = (): boolean => {
    if (text[at] !== '"') return false;
    at++;
    while (at < text.length && text[at] !== '"') {
      if (text.charCodeAt(at) < 0x20) return false;
      if (text[at] !== '\\') at++;
      else if (!take(ESCAPE)) return false;
    }
    if (at === text.length) return false;
    at++;
    return true;
  };
  const takeChar = (char: string): boolean => {
    take(BLANK);
    if (text[at] !== char) return false;
    at++;
    return true;
  };
  const takeKey = (): boolean => {
    take(BLANK);
    return takeString() && takeChar(':');
  };
  const open: ('[' | '{')[] = [];
  for (;;) {
    take(BLANK);
    const bracket = text[at];
    if (bracket === '[' || bracket === '{') {
      at++;
      if (!takeChar(bracket === '[' ? ']' : '}')) {
        open.push(bracket);
        if (bracket === '{' && !takeKey()) return at;
        continue;
      }
    } else if (text[at] === '"' ? !takeString() : !take(NUMBER) && !take(WORD)) return at;
    for (;;) {
      const inside = open.at(-1);
      if (inside === undefined) {
        take(BLANK);
        return at;
      }
      if (takeChar(',')) {
        if (inside === '{' && !takeKey()) return at;
        break;
      }
      if (!takeChar(inside === '[' ? ']' : '}')) return at;
      open.pop();
    }
  }
}
