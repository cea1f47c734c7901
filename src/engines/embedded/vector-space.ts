import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { DowserError } from '../../model/errors.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import { VectorIndex, type VectorIndexOptions } from '../../search/vector/vector-index.ts';
import { WaitingOrder } from './waiting-order.ts';

/** The vectors of one embedder, and the rows that still wait for a vector. */
export class VectorSpace {
  readonly embedder: EmbedderIdentity;
  readonly vectors: VectorIndex;
  /** Rows that want a vector and have none. */
  readonly #waiting = new Bitset();
  readonly #order = new WaitingOrder();
  #waitingCount = 0;
  readonly #unloaded = new Set<number>();
  /** Null after a change. */
  #mean: Float32Array | null = null;

  constructor(embedder: EmbedderIdentity, options: VectorIndexOptions, vectors?: VectorIndex) {
    this.embedder = embedder;
    this.vectors = vectors ?? new VectorIndex(embedder.dimensions, options);
  }

  /** Rows that wait, in the order of `compare`, which must order by unit id. */
  waitingRows(compare: (a: number, b: number) => number): Iterable<number> {
    return this.#order.rows((row) => this.#waiting.has(row), compare);
  }

  /** How many of some rows wait; null: of all rows. */
  waitingOf(rows: Bitset | null): number {
    return rows === null ? this.#waitingCount : rows.clone().intersect(this.#waiting).count();
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
      this.update(row, '');
    }
  }

  /** How many vectors of some rows are not loaded, because they do not fit in memory; null: of all rows. */
  unloadedOf(rows: Bitset | null): number {
    if (rows === null) return this.#unloaded.size;
    let count = 0;
    for (const row of this.#unloaded) if (rows.has(row)) count++;
    return count;
  }

  mean(): Float32Array | null {
    this.#mean ??= this.vectors.mean();
    return this.#mean;
  }

  set(row: number, vector: Float32Array): void {
    this.vectors.set(row, vector);
    this.#mean = null;
    this.#unloaded.delete(row);
    this.update(row, '');
  }

  delete(row: number, textHash: string): void {
    this.#mean = null;
    this.#unloaded.delete(row);
    this.vectors.delete(row);
    this.update(row, textHash);
  }

  /** A row waits while it has a text to embed and no vector. */
  update(row: number, textHash: string): void {
    const isWaiting = textHash !== '' && !this.vectors.has(row) && !this.#unloaded.has(row);
    if (isWaiting === this.#waiting.has(row)) return;
    this.#waiting.set(row, isWaiting);
    if (isWaiting) this.#order.add(row);
    this.#waitingCount += isWaiting ? 1 : -1;
  }
}
