/** Where a text stops being JSON, and what is wrong there. */
export interface JsonFault {
  /** In characters, counted from 1. */
  readonly column: number;
  readonly reason: string;
}

const SPACE = /[\t\n\r ]*/y;
const ATOM = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** The end of what a pattern matches at a place; the place itself when it does not. */
function past(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** After the closing quote; negative, less one, where the string breaks off. */
function pastString(text: string, from: number): number {
  for (let at = from + 1; ; ) {
    at = past(PLAIN, text, at);
    if (text[at] === '"') return at + 1;
    const next = past(ESCAPE, text, at);
    if (next === at) return -at - 1;
    at = next;
  }
}

/**
 * Finds the fault of a text that `JSON.parse` refuses (RFC 8259); undefined for JSON. The engine's own message has a place
 * only sometimes, and words of its own in every version.
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('}' | ']')[] = [];
  const skip = (at: number) => past(SPACE, text, at);
  let at = skip(0);
  /** What may come next. */
  let expected: 'value' | 'key' | 'end' = 'value';
  let mayClose = false;
  for (;;) {
    const char = text[at];
    if (expected === 'end') {
      const closing = open.at(-1);
      if (closing === undefined) return at === text.length ? undefined : fault(text, at);
      if (char === closing) {
        open.pop();
        at = skip(at + 1);
        continue;
      }
      if (char !== ',') return fault(text, at);
      expected = closing === '}' ? 'key' : 'value';
      mayClose = false;
      at = skip(at + 1);
      continue;
    }
    if (mayClose && char === open.at(-1)) {
      expected = 'end';
      continue;
    }
    mayClose = false;
    if (expected === 'key') {
      if (char !== '"') return fault(text, at);
      const end = pastString(text, at);
      if (end < 0) return fault(text, -end - 1);
      at = skip(end);
      if (text[at] !== ':') return fault(text, at);
      at = skip(at + 1);
      expected = 'value';
      continue;
    }
    if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      expected = char === '{' ? 'key' : 'value';
      mayClose = true;
      at = skip(at + 1);
      continue;
    }
    const end = char === '"' ? pastString(text, at) : past(ATOM, text, at);
    if (end < 0) return fault(text, -end - 1);
    if (end === at) return fault(text, at);
    at = skip(end);
    expected = 'end';
  }
}

function fault(text: string, at: number): JsonFault {
  const column = Array.from(text.slice(0, at)).length + 1;
  const code = text.codePointAt(at);
  if (code === undefined) return { column, reason: 'the line ends too early' };
  const isShown = code > 0x20 && code !== 0x7f;
  const shown = isShown ? `'${String.fromCodePoint(code)}'` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return { column, reason: `unexpected ${shown}` };
}
