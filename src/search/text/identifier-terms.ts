import { detachString } from './detach-string.ts';
import { lowerCase } from './fold-text.ts';
import { joinParts, partsOf, runsOf } from './identifier.ts';
import { stem } from './stemmer.ts';
import { STOP_WORDS } from './stop-words.ts';

/** In code points. Longer words are truncated. A longer identifier gives only its parts. */
const MAX_TERM_LENGTH = 64;

/** `isPart` is true for a part of an identifier, false for a word or a whole identifier. */
export type TermVisitor = (term: string, isPart: boolean) => void;

/** The fast case, most words of any text: no inner capitals, digits or separators, so nothing to split. */
const SIMPLE_WORD = /^[A-Za-z][a-z]*$/;

/**
 * The terms of an identifier: the whole, then its parts. Each part is split again between letters and digits.
 * Parts of one character are dropped, so that `plan-b` does not match every b.
 */
export function visitIdentifierTerms(identifier: string, visit: TermVisitor): void {
  if (SIMPLE_WORD.test(identifier)) {
    visitTerm(identifier.toLowerCase().slice(0, MAX_TERM_LENGTH), false, visit);
    return;
  }
  const parts = partsOf(identifier);
  if (parts.length === 1) visitPart(parts[0]!, false, visit);
  else visitCompound(identifier, parts, visit);
}

function visitCompound(identifier: string, parts: readonly string[], visit: TermVisitor): void {
  const whole = joinParts(identifier);
  const isShortEnough = lengthOf(whole) <= MAX_TERM_LENGTH;
  if (isShortEnough) visitTerm(whole, false, visit);
  if (!isShortEnough || !/\p{N}/u.test(whole)) {
    visitParts(parts, visit);
    return;
  }
  // A whole with digits has other parts when it is analyzed again: `foo-bar-7` gives foobar7, which gives foobar and 7.
  // Add those parts now, so that analyzing the terms again adds none.
  const seen = new Set([whole]);
  visitParts(parts, (term, isPart) => {
    seen.add(term);
    visit(term, isPart);
  });
  visitParts(partsOf(whole), (term, isPart) => {
    if (seen.has(term)) return;
    seen.add(term);
    visit(term, isPart);
  });
}

function visitParts(parts: readonly string[], visit: TermVisitor): void {
  for (const part of parts) if (lengthOf(part) > 1) visitPart(part, true, visit);
}

function visitPart(part: string, isPart: boolean, visit: TermVisitor): void {
  const word = truncate(lowerCase(part));
  visitTerm(word, isPart, visit);
  const runs = runsOf(word);
  if (runs.length > 1) for (const run of runs) if (lengthOf(run) > 1) visitTerm(run, true, visit);
}

/** Lower-case English letters only. */
export const PLAIN_WORD = /^[a-z]+$/;

/** '' for a stop word. If the stem of another word is a stop word, the word is not stemmed. */
function termOf(word: string): string {
  if (!PLAIN_WORD.test(word)) return word;
  if (STOP_WORDS.has(word)) return '';
  const root = stem(word);
  return STOP_WORDS.has(root) ? word : root;
}

/** Terms by word. A lookup is cheaper than stemming, and words repeat. */
const termCache = new Map<string, string>();
const MAX_CACHED_TERMS = 50_000;

function visitTerm(word: string, isPart: boolean, visit: TermVisitor): void {
  const term = cachedTerm(word);
  if (term !== '') visit(term, isPart);
}

function cachedTerm(word: string): string {
  let term = termCache.get(word);
  if (term === undefined) {
    const copy = detachString(word);
    term = termOf(copy);
    if (termCache.size >= MAX_CACHED_TERMS) termCache.clear();
    termCache.set(copy, term);
  }
  return term;
}

/** The term of a word that matches PLAIN_WORD; '' for a stop word. */
export function plainTerm(word: string): string {
  return cachedTerm(word.length > MAX_TERM_LENGTH ? word.slice(0, MAX_TERM_LENGTH) : word);
}

function lengthOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
}

function truncate(text: string): string {
  if (text.length <= MAX_TERM_LENGTH) return text;
  let at = 0;
  for (let count = 0; count < MAX_TERM_LENGTH && at < text.length; count++)
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return text.slice(0, at);
}
