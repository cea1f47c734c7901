import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import { VectorIndex } from '../../search/vector/vector-index.ts';

/** The vectors of one embedder, and which rows still wait for theirs. Only ever compared with its own kind. */
export class VectorSpace {
  readonly embedder: EmbedderIdentity;
  readonly vectors: VectorIndex;
  /** Rows that want a vector and have none. */
  readonly #waiting = new Bitset();
  #waitingCount = 0;
  /** Null after a change. */
  #mean: Float32Array | null = null;

  constructor(embedder: EmbedderIdentity, vectors: VectorIndex = new VectorIndex(embedder.dimensions)) {
    this.embedder = embedder;
    this.vectors = vectors;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Rising, so that a queue worked off in this order goes on where it stopped. */
  waitingRows(): Iterable<number> {
    return this.#waiting;
  }

  isWaiting(row: number): boolean {
    return this.#waiting.has(row);
  }

  mean(): Float32Array | null {
    this.#mean ??= this.vectors.mean();
    return this.#mean;
  }

  set(row: number, vector: Float32Array): void {
    this.#mean = null;
    this.vectors.set(row, vector);
    this.update(row, '');
  }

  delete(row: number, textHash: string): void {
    this.#mean = null;
    this.vectors.delete(row);
    this.update(row, textHash);
  }

  /** A row waits while it has a text to embed and no vector. */
  update(row: number, textHash: string): void {
    const isWaiting = textHash !== '' && !this.vectors.has(row);
    if (isWaiting === this.#waiting.has(row)) return;
    if (isWaiting) this.#waiting.add(row);
    else this.#waiting.delete(row);
    this.#waitingCount += isWaiting ? 1 : -1;
  }
}
