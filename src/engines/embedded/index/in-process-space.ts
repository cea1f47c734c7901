import type { EmbedderIdentity } from '../../../model/embedder-identity.ts';
import { DowserError } from '../../../model/errors/errors.ts';
import type { Bitset } from '../../../search/filter/bitset.ts';
import { VectorIndex, type VectorIndexOptions } from '../../../search/vector/vector-index.ts';
import { RowsTotal } from '../../../search/vector/vector-total.ts';
import { type IndexView, MAX_VIEWS } from './index-views.ts';
import { RecentValues } from './recent-values.ts';
import type { SpaceView, VectorSource, VectorSpace } from './vector-space.ts';
import { WaitingRows } from './waiting-rows.ts';

/** A view with the state of the space that it was made from. */
interface KeptView {
  readonly rows: Bitset;
  readonly version: number;
  readonly view: SpaceView;
}

/** The default: all vectors are in memory. */
export class InProcessSpace implements VectorSpace {
  readonly embedder: EmbedderIdentity;
  readonly vectors: VectorIndex;
  readonly remote = null;
  readonly #waiting = new WaitingRows();
  readonly #unloaded = new Set<number>();
  /** By view. */
  readonly #totals = new RecentValues<RowsTotal>(MAX_VIEWS);
  readonly #views = new RecentValues<KeptView>(MAX_VIEWS);
  /** Null after a change. */
  #whole: SpaceView | null = null;
  /** Increases with every change. */
  #version = 0;

  constructor(embedder: EmbedderIdentity, options: VectorIndexOptions) {
    this.embedder = embedder;
    this.vectors = new VectorIndex(embedder.dimensions, options);
  }

  waitingRows(compare: (a: number, b: number) => number): Iterable<number> {
    return this.#waiting.inOrder(compare);
  }

  get unloadedCount(): number {
    return this.#unloaded.size;
  }

  isWaiting(row: number): boolean {
    return this.#waiting.has(row);
  }

  reserve(rows: Iterable<number>): void {
    let end = 0;
    for (const row of rows) end = Math.max(end, row + 1);
    if (end > 0) this.vectors.reserve(end);
  }

  loadAll(source: VectorSource): void {
    this.#fits(() => this.vectors.reserve(source.lastRowWithVector() + 1));
    for (const { row, vector } of source.vectors(this.embedder)) this.load(row, vector);
  }

  /** What does not fit in memory is not embedded again: the record has it. */
  load(row: number, vector: Float32Array): void {
    if (this.#fits(() => this.set(row, vector))) return;
    this.#unloaded.add(row);
    this.#changed();
    this.update(row, '');
  }

  /** Returns false if there is not enough memory for it. */
  #fits(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof DowserError && error.code === 'STORE_FULL') return false;
      throw error;
    }
  }

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
    const { size } = vectors;
    const unloaded = this.#unloaded.size;
    return { mean: vectors.mean(), meanCount: size, vectors: size, missing: this.#waiting.count, unloaded };
  }

  #countWithin(key: string, rows: Bitset): SpaceView {
    const total =
      this.#totals.get(key) ??
      this.#totals.add(key, RowsTotal.near(rows, this.#totals.values(), this.embedder.dimensions));
    let unloaded = 0;
    for (const row of this.#unloaded) if (rows.has(row)) unloaded++;
    const count = this.vectors.countOf(rows);
    const mean = this.vectors.meanOf(rows, total);
    return { mean, meanCount: count, vectors: count, missing: rows.countWith(this.#waiting.rows), unloaded };
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

  update(row: number, textHash: string): void {
    const isWaiting = textHash !== '' && !this.vectors.has(row) && !this.#unloaded.has(row);
    if (this.#waiting.set(row, isWaiting)) this.#changed();
  }

  drop(): void {}

  #changed(): void {
    this.#whole = null;
    this.#version++;
  }
}
