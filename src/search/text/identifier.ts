import { characterClass, DIGIT, LOWER, MARK, UPPER } from './character-class.ts';
import { lowerCase } from './fold-text.ts';

/** What may hold the parts of one identifier together: `node.js`, `up-to-date`, `get_user`, `o'reilly`. */
export function isJoiner(code: number): boolean {
  return code === 0x2e || code === 0x2d || code === 0x5f || code === 0x27 || code === 0x2019 || code === 0x2010;
}

const LETTER_S = 0x73;

/**
 * The parts of one identifier as written, in order: between joiners and at borders of case.
 * `HTTPServer` gives HTTP, Server; `parseURLs` gives parse, URLs; a single leading letter stays with what follows it
 * (`iOS`, `OAuth`, `vLLM` are one part). Letters and digits stay together here: see `runsOf`.
 */
export function partsOf(identifier: string): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  const cut = (end: number) => {
    if (end > start) parts.push(identifier.slice(start, end));
    start = end;
  };
  let before = 0;
  let last = 0;
  let lastAt = 0;
  for (let at = 0; at < identifier.length; ) {
    const code = identifier.codePointAt(at)!;
    const width = code > 0xffff ? 2 : 1;
    if (isJoiner(code)) {
      cut(at);
      start = at + 1;
      before = 0;
      last = 0;
    } else {
      const now = characterClass(code);
      if (now === UPPER && last === LOWER && at - start > 1) cut(at);
      else if (now === LOWER && last === UPPER && before === UPPER && lastAt - start > 1) {
        const isPluralOfAcronym = code === LETTER_S && characterClass(identifier.codePointAt(at + 1) ?? 0) !== LOWER;
        if (!isPluralOfAcronym) cut(lastAt);
      }
      if (now !== MARK) {
        before = last;
        last = now;
        lastAt = at;
      }
    }
    at += width;
  }
  cut(identifier.length);
  return parts;
}

/** A part cut where letters meet digits: `context7` gives context, 7. */
export function runsOf(part: string): readonly string[] {
  const runs: string[] = [];
  let start = 0;
  let last: boolean | undefined;
  for (let at = 0; at < part.length; ) {
    const code = part.codePointAt(at)!;
    const now = characterClass(code);
    const isDigit = now === MARK ? last : now === DIGIT;
    if (last !== undefined && isDigit !== last) {
      runs.push(part.slice(start, at));
      start = at;
    }
    last = isDigit;
    at += code > 0xffff ? 2 : 1;
  }
  if (start < part.length) runs.push(part.slice(start));
  return runs;
}

/**
 * One spelling for an identifier however its parts are joined, so that `getUser`, `get_user` and `get-user` meet.
 * Between two digits the joiner stays: 75.1725 is not 751725.
 */
export function joinedWhole(identifier: string): string {
  let whole = '';
  let start = 0;
  for (let at = 0; at < identifier.length; at++) {
    if (!isJoiner(identifier.charCodeAt(at))) continue;
    const before = characterClass(identifier.charCodeAt(at - 1));
    const after = characterClass(identifier.charCodeAt(at + 1));
    if (before === DIGIT && after === DIGIT) continue;
    whole += identifier.slice(start, at);
    start = at + 1;
  }
  return lowerCase(whole + identifier.slice(start));
}
