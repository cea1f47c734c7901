import { ASKING_WORDS } from './asking-words.ts';
import { visitTerms } from './visit-terms.ts';
import { asciiWords } from './written-words.ts';

/** Raised whenever the same text would give other terms: stored analyses of an older number are made anew. */
export const ANALYZER_VERSION = 1;

/**
 * The index terms of a text, in order, with repeats. Total and linear in the length of the text.
 *
 * - Text is folded (NFKC, diacritics), cut into identifiers, lower-cased and stemmed; stop words are left out.
 * - An identifier gives its whole, written without joiners, and then its parts: `getUserId` gives getuserid, get, user,
 *   id. A word of one character is a term, a part of one character is not.
 * - Han, kana and Hangul give pairs of neighbors, since words are not marked there; other scripts give words.
 * - Analyzing the terms again gives the same set of terms.
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
  /**
   * How much the query says it: 1 for a word said once, more for one said again, less for part of an identifier or a
   * word of asking. A multiple of 1/16, so that scores stay exact.
   */
  readonly frequency: number;
}

/**
 * Saturates repeats in a query, as BM25 does it (k3 in Robertson et al., TREC-3): the third `file` of a path says little
 * that the first did not. Measured over ten public tool and text collections, 2 is as good as any.
 */
const K3 = 2;

/**
 * Of a part of an identifier, against a word of its own. Queries quote paths, addresses and keys whose parts are not
 * what is asked for; the same collections are best at 0.1 to 0.3.
 */
const PART_FREQUENCY = 0.25;

/** Of a word of asking. Not 0: `help` may be what is asked for. */
const ASKING_SHARE = 0.5;

const FREQUENCY_STEP = 1 / 16;

/** The distinct terms of a query, in order of first appearance. */
export function analyzeQuery(text: string): readonly QueryTerm[] {
  const said = new Map<string, number>();
  const say = (term: string, isPart: boolean) => {
    said.set(term, (said.get(term) ?? 0) + (isPart ? PART_FREQUENCY : 1));
  };
  const words = asciiWords(text);
  if (words === null) visitTerms(text, say);
  else for (const { terms } of words) for (const { term, isPart } of terms) say(term, isPart);
  const distinct: QueryTerm[] = [];
  for (const [term, count] of said) {
    const saturated = ((K3 + 1) * count) / (K3 + count);
    const share = ASKING_TERMS.has(term) ? ASKING_SHARE : 1;
    distinct.push({ term, frequency: Math.round((saturated * share) / FREQUENCY_STEP) * FREQUENCY_STEP });
  }
  return distinct;
}

/** Terms of words that ask and say nothing of what is asked for. */
export const ASKING_TERMS: ReadonlySet<string> = new Set(ASKING_WORDS.flatMap(analyze));
