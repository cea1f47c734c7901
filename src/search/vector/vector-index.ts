import { DowserError } from '../../model/errors.ts';
import { Bitset } from '../filter/bitset.ts';
import type { CompareRows, RowScores } from '../row-scores.ts';
import { DEFAULT_EF_SEARCH } from './ef-search.ts';
import { listEligible, writeEligible } from './eligible-rows.ts';
import { QueryForms } from './query-forms.ts';
import { searchBounded, searchFew, searchSketched, type WaySearch } from './three-ways.ts';
import { VectorStore } from './vector-store.ts';

export interface VectorIndexOptions {
  /** `wasm` needs SIMD and is the default where it is there; `plain` answers the same, slower. */
  readonly kernel?: 'wasm' | 'plain';
  /** Up to this many eligible rows each one is scored. Changes speed, never the answer. Default 256. */
  readonly fewRows?: number;
  /** From this many eligible rows on, a sketch picks the candidates unless a search is `exact`. Default: where it pays. */
  readonly manyRows?: number;
}

export interface VectorSearchOptions {
  /** Only these rows may be found; null means every row. Applied before any limit. */
  readonly eligible: Bitset | null;
  /** At most this many rows come back. */
  readonly limit: number;
  /** Orders rows of equal score. */
  readonly compareRows: CompareRows;
  /** How many rows a sketch lets through at least. Default 1000. */
  readonly efSearch?: number | undefined;
  /** Never miss a neighbour, however many rows there are. Default false: among very many rows a few may be missed. */
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
  /** Any number of pieces, each of whole rows, in row order. */
  readonly vectors: Iterable<Float32Array>;
}

/** Below, bounds save less than they cost. */
const FEW_ROWS = 256;
/** Sketches are quicker from some 8000 rows on; below this, being exact costs a fraction of a millisecond. */
const MANY_ROWS = 20_000;
const MOST_DIMENSIONS = 4096; // sums over a longer sketch could pass 16 bits
const CANDIDATES_PER_RESULT = 20;
/** Sketches are read 32 rows at a time: where fewer rows than this share are eligible, single codes are quicker. */
const LEAST_SHARE = 1 / 4;

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
  readonly #fewRows: number;
  readonly #manyRows: number | undefined;
  readonly #present = new Bitset();
  /** Rows of `present` whose vector has a direction. */
  readonly #findable = new Bitset();
  /** Of every vector, kept up to date: adding one is nothing beside deriving its sketch. */
  readonly #total: Float64Array;
  #size = 0;
  #rows = 0;

  /** Dimensions from 1 to 4096. */
  constructor(dimensions: number, options: VectorIndexOptions = {}) {
    if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MOST_DIMENSIONS) {
      throw new DowserError('WRONG_DIMENSIONS', `An index cannot hold vectors of ${dimensions} numbers.`, {
        hint: `Use a model that gives between 1 and ${MOST_DIMENSIONS} numbers.`,
      });
    }
    this.dimensions = dimensions;
    this.#total = new Float64Array(dimensions);
    this.#store = new VectorStore(dimensions, options.kernel);
    this.#query = new QueryForms(this.#store);
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

  /** Keeps a normalised copy. Replaces the vector the row had. */
  set(row: number, vector: Float32Array): void {
    this.#check(vector);
    if (!Number.isInteger(row) || row < 0) throw new DowserError('INTERNAL', `${row} is not a row of a vector index.`);
    let squares = 0;
    for (const value of vector) squares += value * value;
    const length = Math.sqrt(squares);
    this.#store.reserve(row + 1);
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
    this.#present.delete(row);
    this.#size--;
    this.#mark(row, false);
    this.#count(this.#store.vector(row), -1);
    this.#store.vector(row).fill(0);
  }

  has(row: number): boolean {
    return this.#present.has(row);
  }

  /** A copy of the normalised vector. */
  get(row: number): Float32Array | undefined {
    return this.#present.has(row) ? this.#store.vector(row).slice(0, this.dimensions) : undefined;
  }

  /** The mean of all vectors, which are of length 1 or 0; null when there is none. */
  mean(): Float32Array | null {
    return this.#size === 0 ? null : Float32Array.from(this.#total, (sum) => sum / this.#size);
  }

  /** The best rows by cosine, best first. The query need not be normalised. */
  search(query: Float32Array, options: VectorSearchOptions): RowScores {
    this.#check(query);
    const { limit, compareRows } = options;
    if (limit < 1 || !this.#query.write(query)) return { rows: [], scores: [] };
    const count = writeEligible(this.#store, this.#rows, this.#findable, options.eligible);
    const search: WaySearch = { store: this.#store, query: this.#query, limit, compareRows };
    const candidates = Math.max(options.efSearch ?? DEFAULT_EF_SEARCH, limit * CANDIDATES_PER_RESULT);
    const many = this.#manyRows ?? Math.max(MANY_ROWS, 2 * candidates, this.#rows * LEAST_SHARE);
    if (count >= many && options.exact !== true) {
      return searchSketched(search, this.#rows, Math.min(count, candidates));
    }
    listEligible(this.#store, this.#rows);
    return count <= Math.max(this.#fewRows, limit) ? searchFew(search, count) : searchBounded(search, count);
  }

  /** The exact cosine of each of the rows, in their order; null for a row without a vector, or with one of length 0. */
  scoreRows(query: Float32Array, rows: readonly number[]): (number | null)[] {
    this.#check(query);
    if (!this.#query.write(query)) return rows.map(() => null);
    const found = rows.filter((row) => this.#findable.has(row));
    // The scratch list has room for as many rows as the index, and a caller may name a row twice.
    if (found.length > this.#rows) return rows.flatMap((row) => this.scoreRows(query, [row]));
    const { arena, scratch } = this.#store;
    arena.u32.set(found, scratch.rows / 4);
    this.#store.score(scratch.rows, found.length, this.#query.exact);
    let at = scratch.scores / 8;
    return rows.map((row) => (this.#findable.has(row) ? arena.f64[at++]! : null));
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
      vectors,
    };
  }

  /** Copies the vectors, which must come from `toParts`, piece by piece: they may be read from disk on the way. */
  static fromParts(parts: VectorParts, options: VectorIndexOptions = {}): VectorIndex {
    const index = new VectorIndex(parts.dimensions, options);
    const { rows, stride, present } = parts;
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
    for (row = 0; row < rows; row++) {
      if (((present[row >>> 5] ?? 0) & (1 << (row & 31))) === 0) continue;
      index.#present.add(row);
      index.#size++;
      index.#count(store.vector(row), 1);
      index.#mark(row, store.derive(row));
    }
    return index;
  }

  #count(vector: Float32Array, times: 1 | -1): void {
    for (let i = 0; i < this.#total.length; i++) this.#total[i] = this.#total[i]! + times * vector[i]!;
  }

  #mark(row: number, findable: boolean): void {
    if (findable) this.#findable.add(row);
    else this.#findable.delete(row);
  }

  #check(vector: Float32Array): void {
    if (vector.length !== this.dimensions) {
      throw new DowserError(
        'WRONG_DIMENSIONS',
        `The vector has ${vector.length} numbers; this index holds vectors of ${this.dimensions}.`,
        { hint: 'Embed with the model the index was built with, or rebuild the index.' },
      );
    }
    for (let i = 0; i < vector.length; i++) {
      if (Number.isFinite(vector[i])) continue;
      throw new DowserError('INVALID_REQUEST', `Number ${i} of the vector is ${vector[i]}.`, {
        hint: 'Every number of a vector must be finite.',
        field: `vector.${i}`,
      });
    }
  }
}
