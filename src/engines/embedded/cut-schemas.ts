/** A stored text with numbers in place of the values of every `inputSchema`, and those values. */
export interface CutText {
  readonly text: string;
  readonly schemas: readonly string[];
}

/** As `JSON.stringify` writes it. Inside a string both quotes would be escaped; a key that ends so has the first escaped. */
const KEY = '"inputSchema":';
const QUOTE = '"';
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Cuts objects only. Takes what `JSON.stringify` wrote. */
export function cutSchemas(json: string): CutText {
  const schemas: string[] = [];
  let text = '';
  let from = 0;
  for (let key = json.indexOf(KEY); key >= 0; key = json.indexOf(KEY, from)) {
    const start = key + KEY.length;
    const isKey = json.charCodeAt(key - 1) !== BACKSLASH;
    const end = isKey && json.charCodeAt(start) === OPEN ? endOfObject(json, start) : start;
    text += json.slice(from, start);
    if (end > start) {
      text += schemas.length;
      schemas.push(json.slice(start, end));
    }
    from = end;
  }
  return { text: text + json.slice(from), schemas };
}

function endOfObject(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case 0x22:
        at = endOfString(json, at);
        break;
      case OPEN:
        depth++;
        break;
      case CLOSE:
        depth--;
        if (depth === 0) return at + 1;
    }
  }
  return json.length;
}

/** Where the quote is that ends the string whose first quote is at `start`. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf(QUOTE, start + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return json.length;
}
