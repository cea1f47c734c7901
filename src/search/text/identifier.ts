import { characterClass, DIGIT, LOWER, MARK, UPPER } from './character-class.ts';
import { lowerCase } from './fold-text.ts';

/** Characters between the parts of an identifier: `node.js`, `up-to-date`, `get_user`, `o'reilly`. */
export function isSeparator(code: number): boolean {
  return code === 0x2e || code === 0x2d || code === 0x5f || code === 0x27 || code === 0x2019 || code === 0x2010;
}

const LETTER_S = 0x73;

/**
 * Splits an identifier at separators and where its case changes. `HTTPServer` gives HTTP, Server; `parseURLs` gives
 * parse, URLs. A single leading letter is not split off: `iOS`, `OAuth` and `vLLM` are one part.
 * Does not split between letters and digits: see `runsOf`.
 */
export function partsOf(identifier: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  const cut = (end: number) => {
    if (end > start) parts.push(identifier.slice(start, end));
    start = end;
  };
  let beforePrevious = 0;
  let previous = 0;
  let previousAt = 0;
  for (let at = 0; at < identifier.length; ) {
    const code = identifier.codePointAt(at)!;
    const width = code > 0xffff ? 2 : 1;
    if (isSeparator(code)) {
      cut(at);
      start = at + 1;
      beforePrevious = 0;
      previous = 0;
    } else {
      const now = characterClass(code);
      if (now === UPPER && previous === LOWER && at - start > 1) cut(at);
      else if (now === LOWER && previous === UPPER && beforePrevious === UPPER && previousAt - start > 1) {
        const isPluralOfAcronym = code === LETTER_S && characterClass(identifier.codePointAt(at + 1) ?? 0) !== LOWER;
        if (!isPluralOfAcronym) cut(previousAt);
      }
      if (now !== MARK) {
        beforePrevious = previous;
        previous = now;
        previousAt = at;
      }
    }
    at += width;
  }
  cut(identifier.length);
  return parts;
}

/** Splits a part between letters and digits: `context7` gives context, 7. */
export function runsOf(part: string): readonly string[] {
  const runs: string[] = [];
  let start = 0;
  let previous: boolean | undefined;
  for (let at = 0; at < part.length; ) {
    const code = part.codePointAt(at)!;
    const now = characterClass(code);
    const isDigit = now === MARK ? previous : now === DIGIT;
    if (previous !== undefined && isDigit !== previous) {
      runs.push(part.slice(start, at));
      start = at;
    }
    previous = isDigit;
    at += code > 0xffff ? 2 : 1;
  }
  if (start < part.length) runs.push(part.slice(start));
  return runs;
}

/**
 * The identifier in lower case without separators, so that `getUser`, `get_user` and `get-user` are equal.
 * Keeps a separator between two digits: 75.1725 is not 751725.
 */
export function joinParts(identifier: string): string {
  let whole = '';
  let start = 0;
  for (let at = 0; at < identifier.length; at++) {
    if (!isSeparator(identifier.charCodeAt(at))) continue;
    const before = characterClass(identifier.charCodeAt(at - 1));
    const after = characterClass(identifier.charCodeAt(at + 1));
    if (before === DIGIT && after === DIGIT) continue;
    whole += identifier.slice(start, at);
    start = at + 1;
  }
  return lowerCase(whole + identifier.slice(start));
}
