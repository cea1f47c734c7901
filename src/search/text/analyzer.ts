import { asciiWords } from './query-words.ts';
import { visitTerms } from './visit-terms.ts';

/**
 * Words of a request that do not describe its topic: "could you please help me find a tool that can ...".
 * They are indexed, because a tool may be called `help`, but they count less in a query.
 */
const FILLER_WORDS: readonly string[] = `
please kindly thanks thank hello hi hey
want wanted need needed like let know tell give show help assist assistance provide
looking wondering trying interested able really
find get use using make
`
  .trim()
  .split(/\s+/);

/** Increase it whenever a text gives different terms than before. Stored units of an older version are analyzed again. */
export const ANALYZER_VERSION = 1;

/**
 * The index terms of a text, in order, with repeats. Accepts any text and takes linear time.
 *
 * - Text is folded (NFKC, diacritics), split into identifiers, lower-cased and stemmed. Stop words are dropped.
 * - An identifier gives itself without separators, then its parts: `getUserId` gives getuserid, get, user, id.
 *   A word of one character is a term. A part of one character is not.
 * - Han, kana and Hangul give bigrams, because they have no spaces between words. Other scripts give words.
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
   * The weight of the term in the query: 1 for a word that occurs once, more for a repeated word, less for a part of an
   * identifier or a filler word. A multiple of 1/16, so that sums of scores are exact.
   */
  readonly frequency: number;
}

/**
 * Saturates repeated query terms, as in BM25 (k3 in Robertson et al., TREC-3). Measured on ten public tool and text
 * collections: no other value is better than 2.
 */
const K3 = 2;

/**
 * The frequency of a part of an identifier; a separate word has 1. Queries quote paths, URLs and keys, and their parts
 * are often irrelevant. On the same collections, 0.1 to 0.3 is best.
 */
const PART_FREQUENCY = 0.25;

/** The factor for a filler word. Not 0: the user may be looking for `help`. */
const FILLER_SHARE = 0.5;

const FREQUENCY_UNIT = 1 / 16;

/** The distinct terms of a query, in order of first appearance. */
export function analyzeQuery(text: string): readonly QueryTerm[] {
  const counts = new Map<string, number>();
  const addTerm = (term: string, isPart: boolean) => {
    counts.set(term, (counts.get(term) ?? 0) + (isPart ? PART_FREQUENCY : 1));
  };
  const words = asciiWords(text);
  if (words === null) visitTerms(text, addTerm);
  else for (const { terms } of words) for (const { term, isPart } of terms) addTerm(term, isPart);
  const distinct: QueryTerm[] = [];
  for (const [term, count] of counts) {
    const saturated = ((K3 + 1) * count) / (K3 + count);
    const share = FILLER_TERMS.has(term) ? FILLER_SHARE : 1;
    distinct.push({ term, frequency: Math.round((saturated * share) / FREQUENCY_UNIT) * FREQUENCY_UNIT });
  }
  return distinct;
}

/** The terms of FILLER_WORDS. */
export const FILLER_TERMS: ReadonlySet<string> = new Set(FILLER_WORDS.flatMap(analyze));
