import { DowserError } from '../../model/errors/errors.ts';
import { Bitset } from '../filter/bitset.ts';
import { BestRows } from '../rows/best-rows.ts';
import type { RowScores, RowSearchOptions } from '../rows/row-scores.ts';
import { DEFAULT_EF_SEARCH } from './ef-search.ts';
import { EligibleRows, listEligible } from './eligible-rows.ts';
import { EncodedQuery } from './encoded-query.ts';
import { type ScanContext, searchBounded, searchExhaustive, searchSketched } from './scan-strategies.ts';
import { squaresOf } from './squares.ts';
import { SCORE_BATCH, VectorStore } from './vector-store.ts';
import { type RowsTotal, VectorTotal } from './vector-total.ts';

export interface VectorIndexOptions {
  /** `wasm` needs SIMD and is the default if the runtime has it. `plain` gives the same results, but is slower. */
  readonly kernel?: 'wasm' | 'plain';
  /** Up to this many eligible rows, every row is scored. Changes the speed, never the result. Default 256. */
  readonly maxExhaustiveRows?: number;
  /** From this many eligible rows on, sketches select the rows to score, unless a search is `exact`. Default: automatic. */
  readonly minSketchRows?: number;
  /** The maximum memory in bytes. Default: 4 GiB, the limit of the kernel. */
  readonly maxBytes?: number | undefined;
}

interface VectorSearchOptions extends RowSearchOptions {
  /** About how many rows the first sketch pass selects. Default: see `ef-search.ts`. */
  readonly efSearch?: number | undefined;
  /** Do not use sketches, so that no row is missed. Default false: among very many rows, a few may be missed. */
  readonly exact?: boolean;
  /**
   * Let no other row change the result, not even which rows a sketch misses: for callers who must not notice the others.
   * Slower among very many rows. Default false.
   */
  readonly isolated?: boolean;
}

/** With fewer rows, bounds cost more time than they save. */
const MAX_EXHAUSTIVE_ROWS = 256;
/** With fewer rows, an exact search is as fast as a sketch. */
const MIN_SKETCH_ROWS = 3000;
const MAX_DIMENSIONS = 4096; // more is not tested
const CANDIDATES_PER_RESULT = 4;
/** A sketch reads columns of all rows. If a smaller share of the rows is eligible, reading their codes is faster. */
const MIN_SKETCH_SHARE = 1 / 16;
/** For an isolated search, which must not look at the number of other rows: a tenth of 100,000 rows is searched exactly. */
const MIN_ISOLATED_ROWS = 12_000;

/**
 * An in-memory index of vectors by row, searched by cosine. Rows are small integers that the caller chooses and can reuse.
 * Memory depends on the highest row ever set: about 5.2 bytes per row and dimension.
 *
 * The score of a row is always its exact cosine. A zero vector can be stored, but is never found, and its score is null.
 * For a zero query every score is null.
 */
export class VectorIndex {
  readonly dimensions: number;
  readonly #store: VectorStore;
  readonly #query: EncodedQuery;
  readonly #best = new BestRows();
  readonly #maxExhaustiveRows: number;
  readonly #minSketchRows: number | undefined;
  readonly #present = new Bitset();
  /** Rows of `present` with a non-zero vector. */
  readonly #searchable = new Bitset();
  readonly #eligible: EligibleRows;
  /** Of all vectors. */
  readonly #total: VectorTotal;
  #writeCount = 0;
  #size = 0;
  #rows = 0;

  /** Dimensions from 1 to 4096. */
  constructor(dimensions: number, options: VectorIndexOptions = {}) {
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS) {
      throw new DowserError('WRONG_DIMENSIONS', `An index cannot hold vectors of ${dimensions} numbers.`, {
        hint: `Use a model that gives between 1 and ${MAX_DIMENSIONS} numbers.`,
      });
    }
    this.dimensions = dimensions;
    this.#total = new VectorTotal(dimensions);
    this.#store = new VectorStore(dimensions, options.kernel, options.maxBytes);
    this.#query = new EncodedQuery(this.#store, dimensions);
    this.#eligible = new EligibleRows(this.#store.arena);
    this.#maxExhaustiveRows = options.maxExhaustiveRows ?? MAX_EXHAUSTIVE_ROWS;
    this.#minSketchRows = options.minSketchRows;
  }

  /** The number of rows with a vector. */
  get size(): number {
    return this.#size;
  }

  /** Allocates memory for rows 0 to `rows` - 1, so that setting them cannot fail. Throws STORE_FULL. */
  reserve(rows: number): void {
    this.#store.reserve(rows);
  }

  /** Stores a normalized copy and replaces the old vector of the row. Throws STORE_FULL and then changes nothing. */
  set(row: number, vector: Float32Array): void {
    const length = Math.sqrt(squaresOf(vector, this.dimensions));
    if (!Number.isInteger(row) || row < 0) throw new DowserError('INTERNAL', `${row} is not a row of a vector index.`);
    this.#store.reserve(row + 1);
    this.#writeCount++;
    const to = this.#store.vector(row);
    if (this.#present.has(row)) this.#total.subtract(to);
    if (length === 0) to.fill(0);
    else this.#total.addNormalized(to, vector, length);
    this.#rows = Math.max(this.#rows, row + 1);
    if (!this.#present.has(row)) {
      this.#present.add(row);
      this.#size++;
    }
    this.#searchable.set(row, this.#store.derive(row));
  }

  delete(row: number): void {
    if (!this.#present.has(row)) return;
    this.#writeCount++;
    this.#present.delete(row);
    this.#size--;
    this.#searchable.delete(row);
    this.#total.subtract(this.#store.vector(row));
    this.#store.vector(row).fill(0);
  }

  /** How many of some rows have a vector; null: of all rows. */
  countOf(rows: Bitset | null): number {
    return rows === null ? this.#size : rows.countWith(this.#present);
  }

  has(row: number): boolean {
    return this.#present.has(row);
  }

  /** A copy of the normalized vector. */
  get(row: number): Float32Array | undefined {
    return this.#present.has(row) ? this.#store.vector(row).slice(0, this.dimensions) : undefined;
  }

  /** The mean of all normalized vectors; null without vectors. */
  mean(): Float32Array | null {
    return this.#total.mean(this.#size);
  }

  /** The same for some rows. Pass the same `total` again: it follows the rows and their vectors. */
  meanOf(rows: Bitset, total: RowsTotal): Float32Array | null {
    total.follow(rows, this.#present, this.#total, (row) => this.#store.vector(row));
    return total.mean();
  }

  /** Call it before a write to the row, for each total that follows the vectors. */
  removeFrom(total: RowsTotal, row: number): void {
    if (this.#present.has(row)) total.remove(row, this.#store.vector(row));
  }

  /** The best rows by cosine, best first. The query need not be normalized. */
  search(query: Float32Array, options: VectorSearchOptions): RowScores {
    const { limit, compareRows } = options;
    if (!this.#useQuery(query) || limit < 1) return { rows: [], scores: [] };
    const store = this.#store;
    const { scratch } = store;
    const count = this.#eligible.write(scratch.words, options.eligible, this.#searchable, this.#rows, this.#writeCount);
    const scan: ScanContext = { store, scratch, query: this.#query, best: this.#best, limit, compareRows };
    if (this.#isSketched(count, options)) {
      const candidates = Math.min(count, candidatesFor(options));
      return searchSketched(scan, { rows: this.#rows, count, candidates, isolated: options.isolated === true });
    }
    listEligible(store.arena, scratch, this.#rows);
    return this.#isExhaustive(count, limit) ? searchExhaustive(scan, count) : searchBounded(scan, count);
  }

  /** The exact cosines in the order of `rows`; null for a row without a vector or with a zero vector. */
  scoreRows(query: Float32Array, rows: readonly number[]): (number | null)[] {
    const scores = new Array<number | null>(rows.length).fill(null);
    if (!this.#useQuery(query)) return scores;
    const { u32, f64 } = this.#store.arena;
    const list = this.#store.scoreList / 4;
    for (let from = 0; from < rows.length; from += SCORE_BATCH) {
      const end = Math.min(rows.length, from + SCORE_BATCH);
      let count = 0;
      for (let i = from; i < end; i++) if (this.#searchable.has(rows[i]!)) u32[list + count++] = rows[i]!;
      this.#store.scoreRows(this.#store.scoreList, count, this.#query.exact);
      let at = this.#store.scores / 8;
      for (let i = from; i < end; i++) if (this.#searchable.has(rows[i]!)) scores[i] = f64[at++]!;
    }
    return scores;
  }

  #isExhaustive(count: number, limit: number): boolean {
    return count <= Math.max(this.#maxExhaustiveRows, limit);
  }

  #isSketched(count: number, options: VectorSearchOptions): boolean {
    if (options.exact === true || this.#isExhaustive(count, options.limit)) return false;
    const minRows = options.isolated === true ? MIN_ISOLATED_ROWS : this.#rows * MIN_SKETCH_SHARE;
    return count >= (this.#minSketchRows ?? Math.max(MIN_SKETCH_ROWS, 2 * candidatesFor(options), minRows));
  }

  /** Encodes the query if it is new. Returns whether it is non-zero. */
  #useQuery(query: Float32Array): boolean {
    if (query.length !== this.dimensions || !this.#query.matches(query))
      this.#query.write(query, squaresOf(query, this.dimensions));
    return this.#query.isNonZero;
  }
}

function candidatesFor({ efSearch, limit }: VectorSearchOptions): number {
  return Math.max(efSearch ?? DEFAULT_EF_SEARCH, limit * CANDIDATES_PER_RESULT);
}
