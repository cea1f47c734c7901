import type { EmbedderIdentity } from '../../model/embedder-identity.ts';
import { squaresOf } from '../../search/vector/squares.ts';
import type { VectorSource } from '../embedded/index/vector-space.ts';

/** Vectors that are kept after they were read. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A normalized query. Null in place of a zero vector, which is similar to nothing. */
export type UnitQuery = Float64Array | null;

/**
 * Exact cosines from the vectors of the record, which every node has. They are those of `VectorIndex`, bit by bit: the numbers
 * are normalized, rounded and added in the same order.
 */
export class LocalVectors {
  readonly #source: VectorSource;
  readonly #embedder: EmbedderIdentity;
  /** Normalized, with zeros at the end. Null: a zero vector. The least recently used one comes first. */
  readonly #kept = new Map<number, Float32Array | null>();
  readonly #maxKept: number;
  #query: { readonly values: Float32Array; readonly normalized: UnitQuery } | null = null;

  constructor(source: VectorSource, embedder: EmbedderIdentity) {
    this.#source = source;
    this.#embedder = embedder;
    this.#maxKept = Math.max(1, Math.floor(MAX_BYTES / (embedder.dimensions * 4)));
  }

  /** Call it when the vector of a row has changed. */
  forget(row: number): void {
    this.#kept.delete(row);
  }

  /** The normalized vector, with zeros at its end; undefined if there is none, or a zero vector. */
  get(row: number): Float32Array | undefined {
    let vector = this.#kept.get(row);
    if (vector === undefined) {
      const stored = this.#source.vectorOf(row, this.#embedder);
      if (stored === undefined) return undefined;
      vector = toNormalized(stored);
      if (this.#kept.size >= this.#maxKept) this.#kept.delete(this.#kept.keys().next().value!);
    } else {
      this.#kept.delete(row);
    }
    this.#kept.set(row, vector);
    return vector ?? undefined;
  }

  /** Throws if its size is wrong or a number is not finite. */
  normalize(query: Float32Array): UnitQuery {
    if (this.#query?.values === query) return this.#query.normalized;
    const squares = squaresOf(query, this.#embedder.dimensions);
    const length = Math.sqrt(squares);
    const normalized = squares === 0 ? null : new Float64Array(padded(query.length));
    if (normalized !== null) for (let i = 0; i < query.length; i++) normalized[i] = query[i]! / length;
    this.#query = { values: query, normalized };
    return normalized;
  }

  /** Null for a row without a vector, or with a zero vector. */
  cosine(query: Float64Array, row: number): number | null {
    const vector = this.get(row);
    if (vector === undefined) return null;
    // Eight sums, as the kernel has eight lanes.
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let i = 0; i < vector.length; i += 8) {
      a += vector[i]! * query[i]!;
      b += vector[i + 1]! * query[i + 1]!;
      c += vector[i + 2]! * query[i + 2]!;
      d += vector[i + 3]! * query[i + 3]!;
      e += vector[i + 4]! * query[i + 4]!;
      f += vector[i + 5]! * query[i + 5]!;
      g += vector[i + 6]! * query[i + 6]!;
      h += vector[i + 7]! * query[i + 7]!;
    }
    const even = a + c + (e + g);
    const odd = b + d + (f + h);
    return Math.max(-1, Math.min(1, even + odd));
  }
}

/** The kernel adds eight numbers at a time. */
const padded = (dimensions: number): number => Math.ceil(dimensions / 8) * 8;

function toNormalized(stored: Float32Array): Float32Array | null {
  const length = Math.sqrt(squaresOf(stored, stored.length));
  if (length === 0) return null;
  const vector = new Float32Array(padded(stored.length));
  for (let i = 0; i < stored.length; i++) vector[i] = stored[i]! / length;
  return vector;
}
