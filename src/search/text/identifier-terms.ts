import { lowerCase } from './fold-text.ts';
import { joinedWhole, partsOf, runsOf } from './identifier.ts';
import { ownCopy } from './own-copy.ts';
import { stem } from './stemmer.ts';
import { STOP_WORDS } from './stop-words.ts';

/** In code points. Nobody types a longer word: words are cut to this, wholes of identifiers are left out beyond it. */
const MAX_TERM_LENGTH = 64;

/** `isPart` tells the parts of an identifier from words and wholes. */
export type TermVisitor = (term: string, isPart: boolean) => void;

/** A word without inner capitals, digits or joiners is most of any text, and is its own only part. */
const PLAIN = /^[A-Za-z][a-z]*$/;

/**
 * The terms of an identifier: its whole, then its parts, each cut again where letters meet digits. Parts of one
 * character say nothing and are left out, so that `plan-b` does not answer to every b.
 */
export function visitIdentifierTerms(identifier: string, visit: TermVisitor): void {
  if (PLAIN.test(identifier)) {
    visitTerm(identifier.toLowerCase().slice(0, MAX_TERM_LENGTH), false, visit);
    return;
  }
  const parts = partsOf(identifier);
  if (parts.length === 1) visitPart(parts[0]!, false, visit);
  else visitCompound(identifier, parts, visit);
}

function visitCompound(identifier: string, parts: readonly string[], visit: TermVisitor): void {
  const whole = joinedWhole(identifier);
  const hasWhole = lengthOf(whole) <= MAX_TERM_LENGTH;
  if (hasWhole) visitTerm(whole, false, visit);
  if (!hasWhole || !/\p{N}/u.test(whole)) {
    visitParts(parts, visit);
    return;
  }
  // A whole with digits comes apart in its own way when it is analyzed again: `foo-bar-7` is foobar7, and that is
  // foobar and 7. Those parts are terms from the start, so that analyzing terms adds none.
  const visited = new Set([whole]);
  visitParts(parts, (term, isPart) => {
    visited.add(term);
    visit(term, isPart);
  });
  visitParts(partsOf(whole), (term, isPart) => {
    if (visited.has(term)) return;
    visited.add(term);
    visit(term, isPart);
  });
}

function visitParts(parts: readonly string[], visit: TermVisitor): void {
  for (const part of parts) if (lengthOf(part) > 1) visitPart(part, true, visit);
}

function visitPart(part: string, isPart: boolean, visit: TermVisitor): void {
  const word = cap(lowerCase(part));
  visitTerm(word, isPart, visit);
  const runs = runsOf(word);
  if (runs.length > 1) for (const run of runs) if (lengthOf(run) > 1) visitTerm(run, true, visit);
}

const ENGLISH = /^[a-z]+$/;

/** '' for a stop word. A word whose stem would be a stop word keeps its ending: it is not that word. */
function termOf(word: string): string {
  if (!ENGLISH.test(word)) return word;
  if (STOP_WORDS.has(word)) return '';
  const root = stem(word);
  return STOP_WORDS.has(root) ? word : root;
}

/** Text repeats itself: most words were met before, and looking one up is cheaper than stemming it. */
const met = new Map<string, string>();
const MAX_MET = 50_000;

function visitTerm(word: string, isPart: boolean, visit: TermVisitor): void {
  const term = termOfMet(word);
  if (term !== '') visit(term, isPart);
}

function termOfMet(word: string): string {
  let term = met.get(word);
  if (term === undefined) {
    const own = ownCopy(word);
    term = termOf(own);
    if (met.size >= MAX_MET) met.clear();
    met.set(own, term);
  }
  return term;
}

/** The one term of a word of lower-case letters from a to z; '' for a stop word. */
export function plainTerm(word: string): string {
  return termOfMet(word.length > MAX_TERM_LENGTH ? word.slice(0, MAX_TERM_LENGTH) : word);
}

function lengthOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return count;
}

function cap(text: string): string {
  if (text.length <= MAX_TERM_LENGTH) return text;
  let at = 0;
  for (let count = 0; count < MAX_TERM_LENGTH && at < text.length; count++)
    at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return text.slice(0, at);
}
