import { IDENTIFIER_MARK } from '../../model/text/identifiers.ts';
import { CJK, characterClass, DIGIT, LOWER, MARK, UPPER } from './character-class.ts';
import { detachString } from './detach-string.ts';
import { foldText, lowerCase } from './fold-text.ts';
import { isSeparator } from './identifier.ts';
import { type TermVisitor, visitIdentifierTerms } from './identifier-terms.ts';

const MARK_CODE = IDENTIFIER_MARK.charCodeAt(0);
const DOT = 0x2e;
const UNDERSCORE = 0x5f;
const APOSTROPHES: ReadonlySet<number> = new Set([0x27, 0x2019]);

/** Endings after an apostrophe to drop: `I'm` becomes `I`, `server's` becomes `server`. */
const CONTRACTION_TAILS: ReadonlySet<string> = new Set(['s', 'm', 'd', 're', 've', 'll']);

/**
 * Visits the terms of a text in the order of `analyze`. Splits the folded text into identifiers, CJK bigrams, and the names
 * with symbols: C++, C#, .NET; addresses and package names are whole. All other characters separate tokens.
 */
export function visitTerms(source: string, visit: TermVisitor): void {
  const text = foldText(source);
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at)!;
    const now = characterClass(code);
    if (code === MARK_CODE) at = visitWhole(text, at, visit);
    else if (now === CJK) at = visitBigrams(text, at, visit);
    else if (now === LOWER || now === UPPER || now === DIGIT) at = visitIdentifier(text, at, visit);
    else if (code === DOT && isDotNet(text, at)) {
      visit('dotnet', false);
      at += '.net'.length;
    } else at += code > 0xffff ? 2 : 1;
  }
}

/** An address or a package name is one term, see `IDENTIFIER_MARK`. Returns the position after it. */
function visitWhole(text: string, from: number, visit: TermVisitor): number {
  const end = text.indexOf(IDENTIFIER_MARK, from + 1);
  const term = end < 0 ? '' : text.slice(from, end);
  if (term.length < 2 || /\s/u.test(term)) return from + 1;
  visit(detachString(term), false);
  return end + 1;
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

function visitBigrams(text: string, from: number, visit: TermVisitor): number {
  let at = from;
  let last = '';
  let isAlone = true;
  while (at < text.length) {
    const code = text.codePointAt(at)!;
    if (characterClass(code) !== CJK) break;
    const char = String.fromCodePoint(code);
    if (last !== '') {
      visit(last + char, false);
      isAlone = false;
    }
    last = char;
    at += char.length;
  }
  if (isAlone) visit(last, false);
  return at;
}

/** The end of the word of letters, digits and marks that starts at `from`. */
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

/** Visits the terms of the identifier that starts at `from`. Returns the position after it. */
function visitIdentifier(text: string, from: number, visit: TermVisitor): number {
  let end = endOfWord(text, from);
  for (;;) {
    const code = text.charCodeAt(end);
    if (!isSeparator(code)) break;
    let next = end + 1;
    if (code === UNDERSCORE) while (text.charCodeAt(next) === UNDERSCORE) next++;
    if (!isWordAt(text, next)) break;
    const nextEnd = endOfWord(text, next);
    if (APOSTROPHES.has(code)) {
      const tail = lowerCase(text.slice(next, nextEnd));
      const isNegation = tail === 't' && /n/i.test(text.charAt(end - 1));
      if (isNegation || CONTRACTION_TAILS.has(tail)) {
        visitIdentifierTerms(text.slice(from, end) + (isNegation ? 't' : ''), visit);
        return afterContractions(text, nextEnd);
      }
    }
    end = nextEnd;
  }
  const symbols = end === from + 1 ? symbolsAfterLetter(text, from) : 0;
  if (symbols === 0) visitIdentifierTerms(text.slice(from, end), visit);
  else visit(text.charAt(from).toLowerCase() + (symbols === 2 ? 'pp' : 'sharp'), false);
  return end + symbols;
}

/** Skips more contractions after the first, as in `they'd've` and `wouldn't've`. */
function afterContractions(text: string, from: number): number {
  let at = from;
  while (APOSTROPHES.has(text.charCodeAt(at))) {
    const end = endOfWord(text, at + 1);
    if (!CONTRACTION_TAILS.has(lowerCase(text.slice(at + 1, end)))) break;
    at = end;
  }
  return at;
}

/** How many symbols follow a single letter: 2 for `C++`, 1 for `C#`. Their terms are cpp and csharp, as people type them. */
function symbolsAfterLetter(text: string, at: number): 0 | 1 | 2 {
  if (!/[a-z]/i.test(text.charAt(at))) return 0;
  if (text.startsWith('++', at + 1)) return 2;
  return text.charAt(at + 1) === '#' && !isWordAt(text, at + 2) ? 1 : 0;
}
