import { detachString } from '../../text/detach-string.ts';
import type { PostingPool } from '../postings/posting-pool.ts';
import { type FuzzyTerm, FuzzyTerms } from './fuzzy-terms.ts';
import { type ExpandedTerm, QueryExpansion } from './query-expansion.ts';
import { TermLists } from './term-lists.ts';

/** Finds the posting lists of a query: in a whole index, or in the part that a view shows. */
export interface TermLookup {
  /** Undefined if no unit has the term. */
  listOf(term: string): number | undefined;
  /** The distinct terms of a query with their matches. */
  expand(query: string): readonly ExpandedTerm[];
}

/** Maps each indexed term to the number of its posting list, and query terms to indexed terms. */
export class TermDictionary implements TermLookup {
  readonly #pool: PostingPool<Uint32Array>;
  readonly #lists: TermLists;
  readonly #fuzzyTerms: FuzzyTerms;
  readonly #expansion = new QueryExpansion(this);

  constructor(pool: PostingPool<Uint32Array>, lists = new TermLists()) {
    this.#pool = pool;
    this.#lists = lists;
    this.#fuzzyTerms = new FuzzyTerms(lists.stored);
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

  /** Sorted by code units. */
  sorted(): string[] {
    return this.#lists.sorted();
  }

  /** Call it after every write. */
  invalidate(): void {
    this.#expansion.clear();
  }

  /** Indexed terms that are similar to a term. `frequencyOf`: the number of units that may match. */
  similarTo(term: string, frequencyOf: (term: string) => number): readonly FuzzyTerm[] {
    return this.#fuzzyTerms.similarTo(term, frequencyOf, this.#isKnown);
  }

  expand(query: string): readonly ExpandedTerm[] {
    return this.#expansion.expand(query);
  }

  #create(term: string, onNew: (copy: string) => void): number {
    const copy = detachString(term);
    const list = this.#pool.create();
    this.#lists.set(copy, list);
    onNew(copy);
    return list;
  }

  readonly #isKnown = (term: string) => this.#lists.has(term);

  readonly #unitsWith = (term: string): number => {
    const list = this.#lists.get(term);
    return list === undefined ? 0 : this.#pool.length(list);
  };

  similar(term: string): readonly FuzzyTerm[] {
    return this.similarTo(term, this.#unitsWith);
  }
}
