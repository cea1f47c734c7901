import { LayeredMap } from '../layered-map.ts';
import { analyzeQuery } from '../text/analyzer.ts';
import { detachString } from '../text/detach-string.ts';
import { type FuzzyTerm, FuzzyTerms } from './fuzzy-terms.ts';
import type { PostingPool } from './posting-pool.ts';

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

/** Finds the posting lists of a query: in a whole index, or in the part that a view shows. */
export interface TermLookup {
  /** Undefined if no unit has the term. */
  listOf(term: string): number | undefined;
  unitsWith(term: string): number;
  /** The distinct terms of a query with their matches. Caches the last query, because one search uses it several times. */
  expand(query: string): readonly ExpandedTerm[];
}

/** Maps each indexed term to the number of its posting list, and query terms to indexed terms. */
export class TermDictionary implements TermLookup {
  readonly #pool: PostingPool<Uint32Array>;
  readonly #lists: LayeredMap<string, number>;
  readonly #fuzzyTerms: FuzzyTerms;
  #last: { readonly query: string; readonly terms: readonly ExpandedTerm[] } | undefined;

  constructor(
    pool: PostingPool<Uint32Array>,
    lists = new LayeredMap<string, number>(),
    fuzzyTerms: FuzzyTerms = new FuzzyTerms(),
  ) {
    this.#pool = pool;
    this.#lists = lists;
    this.#fuzzyTerms = fuzzyTerms;
  }

  /** A list without postings is that of a term which a write prepares, or has just removed. */
  listOf(term: string): number | undefined {
    const list = this.#lists.get(term);
    return list === undefined || this.#pool.length(list) === 0 ? undefined : list;
  }

  /** Creates an empty list for a new term. The caller must add a posting. */
  listFor(term: string): number {
    const known = this.#lists.get(term);
    return known ?? this.#create(term, (copy) => this.#fuzzyTerms.add(copy));
  }

  /** The same for a write that is prepared: see `admit`. */
  reserve(term: string, created: string[]): number {
    return this.#lists.get(term) ?? this.#create(term, (copy) => created.push(copy));
  }

  /** Call it in slices for the terms that were created, and what it returns when they have postings. */
  admit(created: readonly string[]): Generator<void, () => void> {
    return this.#fuzzyTerms.addAll(created);
  }

  /** Drops a term that no unit has. */
  sweep(term: string): void {
    const list = this.#lists.get(term);
    if (list !== undefined && this.#pool.length(list) === 0) this.drop(term, list);
  }

  /** Call it when no unit has the term any more. */
  drop(term: string, list: number): void {
    this.#pool.drop(list);
    this.#lists.delete(term);
    this.#fuzzyTerms.remove(term);
  }

  unitsWith(term: string): number {
    const list = this.#lists.get(term);
    return list === undefined ? 0 : this.#pool.length(list);
  }

  /** Sorted by code units. */
  sorted(): string[] {
    return [...this.#lists.keys()].sort();
  }

  /** Call it after every write. */
  invalidate(): void {
    this.#last = undefined;
  }

  /** Indexed terms that are similar to a term. `frequencyOf`: the number of units that may match. */
  similarTo(term: string, frequencyOf: (term: string) => number): readonly FuzzyTerm[] {
    return this.#fuzzyTerms.similarTo(term, frequencyOf, this.#isKnown);
  }

  expand(query: string): readonly ExpandedTerm[] {
    if (this.#last?.query !== query) this.#last = { query, terms: expandTerms(query, this) };
    return this.#last.terms;
  }

  #create(term: string, onNew: (copy: string) => void): number {
    const copy = detachString(term);
    const list = this.#pool.create();
    this.#lists.set(copy, list);
    onNew(copy);
    return list;
  }

  readonly #isKnown = (term: string) => this.#lists.has(term);

  readonly #unitsWith = (term: string) => this.unitsWith(term);

  similar(term: string): readonly FuzzyTerm[] {
    return this.similarTo(term, this.#unitsWith);
  }
}

/** Each term of a query with its posting list, or else with those of its fuzzy matches. */
export function expandTerms(query: string, lookup: FuzzyLookup): readonly ExpandedTerm[] {
  const terms: ExpandedTerm[] = [];
  for (const { term, frequency } of analyzeQuery(query))
    terms.push({ term, frequency, matches: matchesOf(term, lookup) });
  return terms;
}

type FuzzyLookup = Pick<TermLookup, 'listOf'> & { similar(term: string): readonly FuzzyTerm[] };

function matchesOf(term: string, lookup: FuzzyLookup): readonly IndexedTerm[] {
  const matches: IndexedTerm[] = [];
  const list = lookup.listOf(term);
  if (list !== undefined) matches.push({ term, list, factor: 1 });
  else {
    for (const fuzzy of lookup.similar(term)) {
      matches.push({ term: fuzzy.term, list: lookup.listOf(fuzzy.term)!, factor: fuzzy.factor });
    }
  }
  return matches;
}
