import { foldText } from './fold-text.ts';
import { type TermVisitor, visitIdentifierTerms } from './identifier-terms.ts';
import { visitTokens } from './tokens.ts';

/** Raised whenever the same text would give other terms: stored analyses of an older number are made anew. */
export const ANALYZER_VERSION = 1;

/**
 * The index terms of a text, in order, with repeats. Total and linear in the length of the text.
 *
 * - Text is folded (NFKC, diacritics), cut into identifiers, lower-cased and stemmed; stop words are left out.
 * - An identifier gives its whole, written without joiners, and then its parts: `getUserId` gives getuserid, get, user,
 *   id. A word of one character is a term, a part of one character is not.
 * - Han, kana and Hangul give pairs of neighbours, since words are not marked there; other scripts give words.
 * - Analysing the terms again gives the same set of terms.
 */
export function analyze(text: string): string[] {
  const terms: string[] = [];
  visitTerms(text, (term) => {
    terms.push(term);
  });
  return terms;
}

export interface QueryTerm {
  readonly term: string;
  /** How often the query says it. */
  readonly frequency: number;
}

/** The distinct terms of a query, in order of first appearance. */
export function analyzeQuery(text: string): readonly QueryTerm[] {
  const frequencies = new Map<string, number>();
  visitTerms(text, (term) => {
    frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  });
  return Array.from(frequencies, ([term, frequency]) => ({ term, frequency }));
}

export function visitTerms(text: string, visit: TermVisitor): void {
  visitTokens(foldText(text), {
    identifier: (identifier) => visitIdentifierTerms(identifier, visit),
    term: (term) => visit(term, false),
  });
}
