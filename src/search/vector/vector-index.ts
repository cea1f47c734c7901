import { DowserError } from '../../model/errors.ts';
import { BestRows } from '../best-rows.ts';
import { Bitset } from '../filter/bitset.ts';

import type { CompareRows, RowScores } from '../row-scores.ts';
import { DEFAULT_EF_SEARCH } from './ef-search.ts';
import { EligibleRows, listEligible } from './eligible-rows.ts';
import { QueryForms } from './query-forms.ts';
import { RowPicker } from './row-picker.ts';
import { searchBounded, searchFew, searchSketched, type WaySearch } from './scan-strategies.ts';
import { SCORED_ROWS, VectorStore } from './vector-store.ts';

export interface VectorIndexOptions {
  /** `wasm` needs SIMD and is the default where it is there; `plain` answers the same, slower. */
  readonly kernel?: 'wasm' | 'plain';
  /** Up to this many eligible rows each one is scored. Changes speed, never the answer. Default 256. */
  readonly fewRows?: number;
  /** From this many eligible rows on, a sketch picks the candidates unless a search is `exact`. Default: where it pays. */
  readonly manyRows?: number;
  /** The most memory to take. Default: 4 GiB, what the kernel can address. */
  readonly maxBytes?: number | undefined;
}

export interface VectorSearchOptions {
  /** Only these rows may be found; null means every row. Applied before any limit. */
  readonly eligible: Bitset | null;
  /** At most this many rows come back. */
  readonly limit: number;
  /** Orders rows of equal score. */
  readonly compareRows: CompareRows;
  /** About how many rows a sketch lets through at first. Default: see `ef-search.ts`. */
  readonly efSearch?: number | undefined;
  /** Never miss a neighbor, however many rows there are. Default false: among very many rows a few may be missed. */
  readonly exact?: boolean;
}

/** What an index is rebuilt from; the rest is derived, in less time than it would take to read. */
export interface VectorParts {
  readonly dimensions: number;
  /** Rows 0 to `rows` - 1 are in `vectors`, `stride` numbers each; the numbers past `dimensions` are 0. */
  readonly rows: number;
  readonly stride: number;
  /** Which rows have a vector, 32 rows to a word, lowest bit first. */
  readonly present: Uint32Array;
  /** The sum of all vectors; without it they are added up. */
  readonly total?: Float64Array | undefined;
  /** Any number of pieces, each of whole rows, in row order. */
  readonly vectors: Iterable<Float32Array>;
}

/** Below, bounds save less than they cost. */
const FEW_ROWS = 256;
/** Below, being exact costs no more than a sketch does. */
const MANY_ROWS = 3000;
const MAX_DIMENSIONS = 4096; // a model with more has not been seen, nor tested
const CANDIDATES_PER_RESULT = 4;
/** Columns are read for every row: where fewer rows than this share are eligible, single codes are quicker. */
const MIN_SHARE = 1 / 16;

/**
 * Vectors by row, searched by cosine. Rows are small integers that the caller chooses and uses again; memory goes up to
 * the highest row ever set, about 5.2 bytes per row and dimension.
 *
 * The score of a row is its exact cosine, the same number whichever way the row was found. A vector of length 0 is like
 * nothing: it can be set and got, but is never found, and its score is null. So is every score for a query of length 0.
 */
export class VectorIndex {
  readonly dimensions: number;
  readonly #store: VectorStore;
  readonly #query: QueryForms;
  readonly #best = new BestRows();
  readonly #fewRows: number;
  readonly #manyRows: number | undefined;
  readonly #present = new Bitset();
  /** Rows of `present` whose vector has a direction. */
  readonly #findable = new Bitset();
  readonly #eligible: EligibleRows;
  /** Of every vector, kept up to date: adding one is nothing beside deriving its sketch. */
  readonly #total: Float64Array;
  #writes = 0;
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
    this.#total = new Float64Array(dimensions);
    this.#store = new VectorStore(dimensions, options.kernel, options.maxBytes);
    this.#query = new QueryForms(this.#store, dimensions);
    this.#eligible = new EligibleRows(this.#store.arena);
    this.#fewRows = options.fewRows ?? FEW_ROWS;
    this.#manyRows = options.manyRows;
  }

  /** How many rows have a vector. */
  get size(): number {
    return this.#size;
  }

  /** Rows there is room for without growing. */
  get capacity(): number {
    return this.#store.capacity;
  }

  /** Memory taken, in bytes. */
  get bytes(): number {
    return this.#store.arena.bytes;
  }

  /** Makes room for rows 0 to `rows` - 1, so that setting them cannot fail. Throws STORE_FULL where there is none. */
  reserve(rows: number): void {
    this.#store.reserve(rows);
  }

  /** Keeps a normalized copy. Replaces the vector the row had. Throws STORE_FULL, and changes nothing, without room. */
  set(row: number, vector: Float32Array): void {
    const length = Math.sqrt(this.#squares(vector));
    if (!Number.isInteger(row) || row < 0) throw new DowserError('INTERNAL', `${row} is not a row of a vector index.`);
    this.#store.reserve(row + 1);
    this.#writes++;
    const to = this.#store.vector(row);
    this.#count(to, -1);
    for (let i = 0; i < vector.length; i++) to[i] = length === 0 ? 0 : vector[i]! / length;
    this.#rows = Math.max(this.#rows, row + 1);
    if (!this.#present.has(row)) {
      this.#present.add(row);
      this.#size++;
    }
    this.#count(to, 1);
    this.#mark(row, this.#store.derive(row));
  }

  delete(row: number): void {
    if (!this.#present.has(row)) return;
    this.#writes++;
    this.#present.delete(row);
    this.#size--;
    this.#mark(row, false);
    this.#count(this.#store.vector(row), -1);
    this.#store.vector(row).fill(0);
  }

  has(row: number): boolean {
    return this.#present.has(row);
  }

  /** A copy of the normalized vector. */
  get(row: number): Float32Array | undefined {
    return this.#present.has(row) ? this.#store.vector(row).slice(0, this.dimensions) : undefined;
  }

  /** The mean of all vectors, which are of length 1 or 0; null when there is none. */
  mean(): Float32Array | null {
    return this.#size === 0 ? null : Float32Array.from(this.#total, (sum) => sum / this.#size);
  }

  /** The best rows by cosine, best first. The query need not be normalized. */
  search(query: Float32Array, options: VectorSearchOptions): RowScores {
    const { limit, compareRows } = options;
    if (!this.#accept(query) || limit < 1) return { rows: [], scores: [] };
    const store = this.#store;
    const { scratch } = store;
    const count = this.#eligible.write(scratch.words, options.eligible, this.#findable, this.#rows, this.#writes);
    const search: WaySearch = { store, scratch, query: this.#query, best: this.#best, limit, compareRows };
    if (this.#isSketched(count, options)) {
      const candidates = Math.min(count, candidatesFor(options));
      return searchSketched(search, new RowPicker(store, this.#query, this.#rows), this.#rows, count, candidates);
    }
    listEligible(store.arena, scratch, this.#rows);
    return this.#isFew(count, limit) ? searchFew(search, count) : searchBounded(search, count);
  }

  /** The exact cosine of each of the rows, in their order; null for a row without a vector, or with one of length 0. */
  scoreRows(query: Float32Array, rows: readonly number[]): (number | null)[] {
    const scores = new Array<number | null>(rows.length).fill(null);
    if (!this.#accept(query)) return scores;
    const { u32, f64 } = this.#store.arena;
    const picked = this.#store.picked / 4;
    for (let from = 0; from < rows.length; from += SCORED_ROWS) {
      const end = Math.min(rows.length, from + SCORED_ROWS);
      let count = 0;
      for (let i = from; i < end; i++) if (this.#findable.has(rows[i]!)) u32[picked + count++] = rows[i]!;
      this.#store.score(this.#store.picked, count, this.#query.exact);
      let at = this.#store.scores / 8;
      for (let i = from; i < end; i++) if (this.#findable.has(rows[i]!)) scores[i] = f64[at++]!;
    }
    return scores;
  }

  /** Views of the index's own memory: use them before the next `set`. */
  toParts(): VectorParts {
    const vectors: Float32Array[] = [];
    for (let row = 0; row < this.#rows; ) {
      const run = this.#store.run(row, this.#rows);
      vectors.push(run);
      row += run.length / this.#store.width;
    }
    return {
      dimensions: this.dimensions,
      rows: this.#rows,
      stride: this.#store.width,
      present: this.#present.words.slice(0, (this.#rows + 31) >>> 5),
      total: this.#total,
      vectors,
    };
  }

  /** Copies the vectors, which must come from `toParts`, piece by piece: they may be read from disk on the way. */
  static fromParts(parts: VectorParts, options: VectorIndexOptions = {}): VectorIndex {
    const index = new VectorIndex(parts.dimensions, options);
    const { rows, stride, present, total } = parts;
    const store = index.#store;
    store.reserve(rows);
    let row = 0;
    for (const piece of parts.vectors) {
      for (let at = 0; at < piece.length && row < rows; ) {
        const run = store.run(row, Math.min(rows, row + Math.floor((piece.length - at) / stride)));
        if (run.length === 0) break;
        const count = run.length / store.width;
        if (stride === store.width) run.set(piece.subarray(at, at + run.length));
        else {
          for (let i = 0; i < count; i++) {
            run.set(piece.subarray(at + i * stride, at + i * stride + parts.dimensions), i * store.width);
          }
        }
        at += count * stride;
        row += count;
      }
    }
    if (row !== rows) {
      throw new DowserError('STORE_CORRUPT', `The vector snapshot holds ${row} of its ${rows} rows.`, {
        hint: 'Delete the snapshot; it is rebuilt from the database.',
      });
    }
    index.#rows = rows;
    const known = total?.length === parts.dimensions && total.every(Number.isFinite) ? total : null;
    for (row = 0; row < rows; row++) {
      if (((present[row >>> 5] ?? 0) & (1 << (row & 31))) === 0) continue;
      index.#present.add(row);
      index.#size++;
      if (known === null) index.#count(store.vector(row), 1);
      index.#mark(row, store.derive(row));
    }
    if (known !== null) index.#total.set(known);
    return index;
  }

  #count(vector: Float32Array, times: 1 | -1): void {
    const total = this.#total;
    for (let i = 0; i < total.length; i++) total[i] = total[i]! + times * vector[i]!;
  }

  #mark(row: number, findable: boolean): void {
    if (findable) this.#findable.add(row);
    else this.#findable.delete(row);
  }

  #isFew(count: number, limit: number): boolean {
    return count <= Math.max(this.#fewRows, limit);
  }

  #isSketched(count: number, options: VectorSearchOptions): boolean {
    if (options.exact === true || this.#isFew(count, options.limit)) return false;
    return count >= (this.#manyRows ?? Math.max(MANY_ROWS, 2 * candidatesFor(options), this.#rows * MIN_SHARE));
  }

  /** Makes this the query to search by. Returns whether it has a direction. */
  #accept(query: Float32Array): boolean {
    if (query.length !== this.dimensions || !this.#query.holds(query)) this.#query.write(query, this.#squares(query));
    return this.#query.hasDirection;
  }

  /** The sum of the squares of a vector that can be searched. */
  #squares(vector: Float32Array): number {
    if (vector.length !== this.dimensions) {
      throw new DowserError(
        'WRONG_DIMENSIONS',
        `The vector has ${vector.length} numbers; this index holds vectors of ${this.dimensions}.`,
        { hint: 'Embed with the model the index was built with, or rebuild the index.' },
      );
    }
    let squares = 0;
    for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
    // The squares of as many f32 as there may be add up to an f64, so only a number that is none can spoil the sum.
    if (Number.isFinite(squares)) return squares;
    const at = vector.findIndex((value) => !Number.isFinite(value));
    throw new DowserError('INVALID_REQUEST', `Number ${at} of the vector is ${vector[at]}.`, {
      hint: 'Every number of a vector must be finite.',
      field: `vector.${at}`,
    });
  }
}

function candidatesFor({ efSearch, limit }: VectorSearchOptions): number {
  return Math.max(efSearch ?? DEFAULT_EF_SEARCH, limit * CANDIDATES_PER_RESULT);
}
