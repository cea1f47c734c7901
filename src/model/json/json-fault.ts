const BLANK = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/**
 * Where a text stops being JSON; its length when it ends too early. The messages of `JSON.parse` differ between versions and
 * often have no position.
 */
function faultOffset(text: string): number {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  /** Not one pattern: a long string would exhaust the regular expression engine, and the fault may be inside it. */
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

/** Where a text that `JSON.parse` refuses stops being JSON, and what is wrong there. */
export interface JsonFault {
  /** In UTF-16 units, from 0. */
  readonly offset: number;
  /** Both counted from 1; the column in characters. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

export function jsonFault(text: string): JsonFault {
  const offset = faultOffset(text);
  return { offset, ...placeOf(text, offset), reason: reasonAt(text, offset) };
}

export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  let column = 1;
  for (const _ of text.slice(start, offset)) column++;
  return { line, column };
}

function reasonAt(text: string, offset: number): string {
  const code = text.codePointAt(offset);
  if (code === undefined) return 'the line ends too early';
  if (code > 0x20 && code !== 0x7f) return `unexpected '${String.fromCodePoint(code)}'`;
  return `unexpected U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
