import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { DowserError } from '../../model/errors.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import { VectorIndex, type VectorIndexOptions } from '../../search/vector/vector-index.ts';
import { RowsTotal } from '../../search/vector/vector-total.ts';
import { type IndexView, MAX_VIEWS } from './index-views.ts';
import { RecentValues } from './recent-values.ts';
import { WaitingOrder } from './waiting-order.ts';

/** The vectors of what a caller may read. */
export interface SpaceView {
  readonly mean: Float32Array | null;
  /** How many units have a vector, wait for one, and have one that does not fit in memory. */
  readonly vectors: number;
  readonly missing: number;
  readonly unloaded: number;
}

export const NO_VECTORS: SpaceView = { mean: null, vectors: 0, missing: 0, unloaded: 0 };

/** A view with the state of the space that it was made from. */
interface KeptView {
  readonly rows: Bitset;
  readonly version: number;
  readonly view: SpaceView;
}

/** The vectors of one embedder, and the rows that still wait for a vector. */
export class VectorSpace {
  readonly embedder: EmbedderIdentity;
  readonly vectors: VectorIndex;
  /** Rows that want a vector and have none. */
  readonly #waiting = new Bitset();
  readonly #order = new WaitingOrder();
  #waitingCount = 0;
  readonly #unloaded = new Set<number>();
  /** By view. */
  readonly #totals = new RecentValues<RowsTotal>(MAX_VIEWS);
  readonly #views = new RecentValues<KeptView>(MAX_VIEWS);
  /** Null after a change. */
  #whole: SpaceView | null = null;
  /** Increases with every change. */
  #version = 0;

  constructor(embedder: EmbedderIdentity, options: VectorIndexOptions, vectors?: VectorIndex) {
    this.embedder = embedder;
    this.vectors = vectors ?? new VectorIndex(embedder.dimensions, options);
  }

  /** Rows that wait, in the order of `compare`, which must order by unit id. */
  waitingRows(compare: (a: number, b: number) => number): Iterable<number> {
    return this.#order.rows((row) => this.#waiting.has(row), compare);
  }

  /** How many vectors do not fit in memory. */
  get unloadedCount(): number {
    return this.#unloaded.size;
  }

  isWaiting(row: number): boolean {
    return this.#waiting.has(row);
  }

  /** Allocates memory for the vectors of these rows. Throws STORE_FULL, so call it before writing the record. */
  reserve(rows: Iterable<number>): void {
    let end = 0;
    for (const row of rows) end = Math.max(end, row + 1);
    if (end > 0) this.vectors.reserve(end);
  }

  /**
   * Loads a vector from the record. If it does not fit in memory, the unit is found by keyword only. The record keeps the
   * vector, so it is not embedded again.
   */
  load(row: number, vector: Float32Array): void {
    try {
      this.set(row, vector);
    } catch (error) {
      if (!(error instanceof DowserError) || error.code !== 'STORE_FULL') throw error;
      this.#unloaded.add(row);
      this.#changed();
      this.update(row, '');
    }
  }

  /** What a view has of it. Computed once until the next write. */
  within({ rows, key }: Pick<IndexView, 'rows' | 'key'>): SpaceView {
    if (rows === null) {
      this.#whole ??= this.#count();
      return this.#whole;
    }
    const kept = this.#views.get(key);
    if (kept?.rows === rows && kept.version === this.#version) return kept.view;
    return this.#views.add(key, { rows, version: this.#version, view: this.#countWithin(key, rows) }).view;
  }

  #count(): SpaceView {
    const { vectors } = this;
    return { mean: vectors.mean(), vectors: vectors.size, missing: this.#waitingCount, unloaded: this.#unloaded.size };
  }

  #countWithin(key: string, rows: Bitset): SpaceView {
    const total = this.#totals.get(key) ?? this.#totals.add(key, new RowsTotal(this.embedder.dimensions));
    let unloaded = 0;
    for (const row of this.#unloaded) if (rows.has(row)) unloaded++;
    return {
      mean: this.vectors.meanOf(rows, total),
      vectors: this.vectors.countOf(rows),
      missing: rows.countWith(this.#waiting),
      unloaded,
    };
  }

  set(row: number, vector: Float32Array): void {
    this.#removeFromTotals(row);
    this.vectors.set(row, vector);
    this.#changed();
    this.#unloaded.delete(row);
    this.update(row, '');
  }

  delete(row: number, textHash: string): void {
    this.#changed();
    this.#unloaded.delete(row);
    this.#removeFromTotals(row);
    this.vectors.delete(row);
    this.update(row, textHash);
  }

  #removeFromTotals(row: number): void {
    for (const total of this.#totals.values()) this.vectors.removeFrom(total, row);
  }

  /** A row waits while it has a text to embed and no vector. */
  update(row: number, textHash: string): void {
    const isWaiting = textHash !== '' && !this.vectors.has(row) && !this.#unloaded.has(row);
    if (isWaiting === this.#waiting.has(row)) return;
    this.#waiting.set(row, isWaiting);
    if (isWaiting) this.#order.add(row);
    this.#waitingCount += isWaiting ? 1 : -1;
    this.#changed();
  }

  #changed(): void {
    this.#whole = null;
    this.#version++;
  }
}
