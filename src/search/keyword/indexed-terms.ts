import { analyzeQuery } from '../text/analyzer.ts';
import { detachString } from '../text/detach-string.ts';
import type { PostingPool } from './posting-pool.ts';
import { TermNeighbors } from './term-neighbors.ts';

/** A term of the query with the indexed terms that answer it: itself, or its neighbors when it is not indexed. */
export interface QueryPart {
  readonly term: string;
  readonly frequency: number;
  readonly matches: readonly Match[];
}

export interface Match {
  readonly term: string;
  readonly list: number;
  readonly factor: number;
}

/** The terms that units have, each with its list of postings, and which of them answer the terms of a query. */
export class IndexedTerms {
  readonly #pool: PostingPool<Uint32Array>;
  readonly #lists: Map<string, number>;
  readonly #neighbors: TermNeighbors;
  #last: { readonly query: string; readonly parts: readonly QueryPart[] } | undefined;

  constructor(
    pool: PostingPool<Uint32Array>,
    lists: Map<string, number> = new Map(),
    neighbors: TermNeighbors = new TermNeighbors(),
  ) {
    this.#pool = pool;
    this.#lists = lists;
    this.#neighbors = neighbors;
  }

  /** Undefined for a term that no unit has. */
  listOf(term: string): number | undefined {
    return this.#lists.get(term);
  }

  /** A term that is new gets an empty list, for the caller to fill. */
  listFor(term: string): number {
    const known = this.#lists.get(term);
    if (known !== undefined) return known;
    const own = detachString(term);
    const list = this.#pool.create();
    this.#lists.set(own, list);
    this.#neighbors.add(own);
    return list;
  }

  /** No unit has the term any more. */
  drop(term: string, list: number): void {
    this.#pool.drop(list);
    this.#lists.delete(term);
    this.#neighbors.remove(term);
  }

  unitsWith(term: string): number {
    const list = this.#lists.get(term);
    return list === undefined ? 0 : this.#pool.length(list);
  }

  /** In the order of their code units. */
  sorted(): string[] {
    return [...this.#lists.keys()].sort();
  }

  /** To be told of every write, when it is done. */
  changed(): void {
    this.#last = undefined;
  }

  /** A query is asked about several times in one search, so what was worked out for it is kept until the next. */
  partsOf(query: string): readonly QueryPart[] {
    if (this.#last?.query !== query) this.#last = { query, parts: this.#workOutParts(query) };
    return this.#last.parts;
  }

  #workOutParts(query: string): readonly QueryPart[] {
    const parts: QueryPart[] = [];
    for (const { term, frequency } of analyzeQuery(query))
      parts.push({ term, frequency, matches: this.#answering(term) });
    return parts;
  }

  #answering(term: string): readonly Match[] {
    const matches: Match[] = [];
    const list = this.#lists.get(term);
    if (list !== undefined) matches.push({ term, list, factor: 1 });
    else {
      for (const near of this.#neighbors.near(term, (other) => this.unitsWith(other))) {
        matches.push({ term: near.term, list: this.#lists.get(near.term)!, factor: near.factor });
      }
    }
    return matches;
  }
}
