import type { Bitset } from '../../filter/bitset.ts';
import type { PostingPool } from '../postings/posting-pool.ts';
import type { FuzzyTerm } from './fuzzy-terms.ts';
import { type ExpandedTerm, QueryExpansion } from './query-expansion.ts';
import type { TermDictionary, TermLookup } from './term-dictionary.ts';

/** For a term that only other rows have. */
const NO_LIST = -1;

/** The terms of some rows of an index. A term that only other rows have is unknown. */
export class ViewTerms implements TermLookup {
  readonly #all: TermDictionary;
  readonly #source: PostingPool<Uint32Array>;
  readonly #pool: PostingPool<Uint32Array>;
  readonly #rows: Bitset;
  /** By term of the index: its list in `#pool`. */
  readonly #lists = new Map<string, number>();
  /** By term of the index: the number of rows. Counting is cheaper than copying. */
  readonly #counts = new Map<string, number>();
  readonly #expansion = new QueryExpansion(this);

  /** Copies lists of `source` to `pool`, without rows that are not in `rows`. */
  constructor(all: TermDictionary, source: PostingPool<Uint32Array>, pool: PostingPool<Uint32Array>, rows: Bitset) {
    this.#all = all;
    this.#source = source;
    this.#pool = pool;
    this.#rows = rows;
  }

  listOf(term: string): number | undefined {
    let list = this.#lists.get(term);
    if (list === undefined) {
      const from = this.#all.listOf(term);
      if (from === undefined) return undefined;
      list = this.#copy(from);
      this.#lists.set(term, list);
    }
    return list === NO_LIST ? undefined : list;
  }

  unitsWith(term: string): number {
    const own = this.#lists.get(term);
    if (own !== undefined) return own === NO_LIST ? 0 : this.#pool.length(own);
    const known = this.#counts.get(term);
    if (known !== undefined) return known;
    const list = this.#all.listOf(term);
    if (list === undefined) return 0;
    const count = this.#source.countWithin(list, this.#rows);
    this.#counts.set(term, count);
    return count;
  }

  expand(query: string): readonly ExpandedTerm[] {
    return this.#expansion.expand(query);
  }

  #copy(from: number): number {
    const list = this.#pool.copy(this.#source, from, this.#rows);
    if (this.#pool.length(list) > 0) return list;
    this.#pool.drop(list);
    return NO_LIST;
  }

  similar(term: string): readonly FuzzyTerm[] {
    return this.#all.similarTo(term, (other) => this.unitsWith(other));
  }
}
