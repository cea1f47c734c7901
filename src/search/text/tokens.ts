import { CJK, characterClass, DIGIT, LOWER, MARK, UPPER } from './character-class.ts';
import { lowerCase } from './fold-text.ts';
import { isJoiner } from './identifier.ts';

const DOT = 0x2e;
const UNDERSCORE = 0x5f;
const APOSTROPHES: ReadonlySet<number> = new Set([0x27, 0x2019]);

/** What is left of `is`, `am`, `would`, `are`, `have`, `will` after an apostrophe: `I'm` is `I`, `server's` is `server`. */
const CONTRACTED: ReadonlySet<string> = new Set(['s', 'm', 'd', 're', 've', 'll']);

export interface TokenVisitor {
  /** A word or an identifier with its joiners, as written. */
  identifier(text: string): void;
  /** A term that needs no more work. */
  term(term: string): void;
}

/**
 * Cuts folded text (see `foldText`) into identifiers, pairs of neighbors where words are not marked, and the few names
 * that are spelled with signs: C++, C#, .NET. Everything else parts tokens.
 */
export function visitTokens(text: string, visitor: TokenVisitor): void {
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const now = characterClass(code);
    if (now === CJK) at = visitPairs(text, at, visitor);
    else if (now === LOWER || now === UPPER || now === DIGIT) at = visitIdentifier(text, at, visitor);
    else if (code === DOT && isDotNet(text, at)) {
      visitor.term('dotnet');
      at += '.net'.length;
    } else at += code > 0xffff ? 2 : 1;
  }
}

function isWordAt(text: string, at: number): boolean {
  const code = text.codePointAt(at);
  if (code === undefined) return false;
  const now = characterClass(code);
  return now === LOWER || now === UPPER || now === DIGIT;
}

function isDotNet(text: string, at: number): boolean {
  return /^\.net$/i.test(text.slice(at, at + 4)) && !isWordAt(text, at + 4) && !(at > 0 && isWordAt(text, at - 1));
}

function visitPairs(text: string, from: number, visitor: TokenVisitor): number {
  let at = from;
  let last = '';
  let isAlone = true;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    if (characterClass(code) !== CJK) break;
    const char = String.fromCodePoint(code);
    if (last !== '') {
      visitor.term(last + char);
      isAlone = false;
    }
    last = char;
    at += char.length;
  }
  if (isAlone) visitor.term(last);
  return at;
}

/** The end of the letters, digits and marks that start at `from`. */
function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    const now = characterClass(code);
    if (now !== LOWER && now !== UPPER && now !== DIGIT && now !== MARK) break;
    at += code > 0xffff ? 2 : 1;
  }
  return at;
}

/** Visits the identifier that starts at `from` and gives the position after it. */
function visitIdentifier(text: string, from: number, visitor: TokenVisitor): number {
  let end = endOfWord(text, from);
  for (;;) {
    const code = text.charCodeAt(end);
    if (!isJoiner(code)) break;
    let next = end + 1;
    if (code === UNDERSCORE) while (text.charCodeAt(next) === UNDERSCORE) next++;
    if (!isWordAt(text, next)) break;
    const nextEnd = endOfWord(text, next);
    if (APOSTROPHES.has(code)) {
      const tail = lowerCase(text.slice(next, nextEnd));
      const isNegation = tail === 't' && /n/i.test(text.charAt(end - 1));
      if (isNegation || CONTRACTED.has(tail)) {
        visitor.identifier(text.slice(from, end) + (isNegation ? 't' : ''));
        return afterContractions(text, nextEnd);
      }
    }
    end = nextEnd;
  }
  const signs = end === from + 1 ? signsAfterLetter(text, from) : 0;
  if (signs === 0) visitor.identifier(text.slice(from, end));
  else visitor.term(text.charAt(from).toLowerCase() + (signs === 2 ? 'pp' : 'sharp'));
  return end + signs;
}

/** Past the further tails of `they'd've` and `wouldn't've`. */
function afterContractions(text: string, from: number): number {
  let at = from;
  while (APOSTROPHES.has(text.charCodeAt(at))) {
    const end = endOfWord(text, at + 1);
    if (!CONTRACTED.has(lowerCase(text.slice(at + 1, end)))) break;
    at = end;
  }
  return at;
}

/** How many signs belong to a single letter: 2 for `C++`, 1 for `C#`. They become cpp and csharp, as people type them. */
function signsAfterLetter(text: string, at: number): 0 | 1 | 2 {
  if (!/[a-z]/i.test(text.charAt(at))) return 0;
  if (text.startsWith('++', at + 1)) return 2;
  return text.charAt(at + 1) === '#' && !isWordAt(text, at + 2) ? 1 : 0;
}
