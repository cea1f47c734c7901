import { analyzeQuery } from '../../text/analyzer.ts';
import { detachString } from '../../text/detach-string.ts';
import type { FuzzyTerm } from './fuzzy-terms.ts';

/** A query term with the indexed terms that match it: the term itself or, if it is not indexed, its fuzzy matches. */
export interface ExpandedTerm {
  readonly term: string;
  readonly frequency: number;
  readonly matches: readonly IndexedTerm[];
}

export interface IndexedTerm {
  readonly term: string;
  readonly list: number;
  readonly factor: number;
}

/** Where terms are looked up. */
interface Vocabulary {
  /** Undefined if no unit has the term. */
  listOf(term: string): number | undefined;
  /** Its fuzzy matches, best first. */
  similar(term: string): readonly FuzzyTerm[];
}

/** Queries repeat words. This many take about a megabyte, two if all of them are misspelled. */
const MAX_TERMS = 4096;

/**
 * Finds the indexed terms of queries. Remembers the last query, because one search expands it several times, and the matches
 * of each term, because fuzzy matches take as long as a short posting list.
 */
export class QueryExpansion {
  readonly #vocabulary: Vocabulary;
  readonly #maxTerms: number;
  readonly #matches = new Map<string, readonly IndexedTerm[]>();
  #last: { readonly query: string; readonly terms: readonly ExpandedTerm[] } | undefined;

  constructor(vocabulary: Vocabulary, maxTerms = MAX_TERMS) {
    this.#vocabulary = vocabulary;
    this.#maxTerms = maxTerms;
  }

  /** The distinct terms of a query with their matches. */
  expand(query: string): readonly ExpandedTerm[] {
    if (this.#last?.query !== query) this.#last = { query, terms: this.#termsOf(query) };
    return this.#last.terms;
  }

  /** Call it after every write to the vocabulary. */
  clear(): void {
    this.#last = undefined;
    this.#matches.clear();
  }

  #termsOf(query: string): readonly ExpandedTerm[] {
    const terms: ExpandedTerm[] = [];
    for (const { term, frequency } of analyzeQuery(query))
      terms.push({ term, frequency, matches: this.#matchesOf(term) });
    return terms;
  }

  #matchesOf(term: string): readonly IndexedTerm[] {
    let matches = this.#matches.get(term);
    if (matches === undefined) {
      const copy = detachString(term);
      matches = this.#findMatches(copy);
      if (this.#matches.size >= this.#maxTerms) this.#matches.clear();
      this.#matches.set(copy, matches);
    }
    return matches;
  }

  #findMatches(term: string): readonly IndexedTerm[] {
    const matches: IndexedTerm[] = [];
    const list = this.#vocabulary.listOf(term);
    if (list !== undefined) matches.push({ term, list, factor: 1 });
    else {
      for (const fuzzy of this.#vocabulary.similar(term)) {
        matches.push({ term: fuzzy.term, list: this.#vocabulary.listOf(fuzzy.term)!, factor: fuzzy.factor });
      }
    }
    return matches;
  }
}
