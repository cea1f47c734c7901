import { Bitset } from '../../search/filter/bitset.ts';
import { VectorTotal } from '../../search/vector/vector-total.ts';
import type { LocalVectors } from './local-vectors.ts';

/** Up to this many vectors, all are counted. Of more, a sample of at least half of it: reading them all would take seconds. */
export const MAX_SAMPLE = 4096;

export interface SampledMean {
  readonly mean: Float32Array | null;
  /** How many vectors it is the mean of. */
  readonly count: number;
}

/**
 * The mean of the vectors of some rows. A row is in the sample by the hash of its unit id and by the number of these rows, so
 * that every node has the same mean, and rows of others do not change it.
 */
export class MeanSample {
  readonly #dimensions: number;
  readonly #local: LocalVectors;
  readonly #unitOf: (row: number) => string;
  /** By level: the rows whose hash ends in so many zero bits. Made on use, and kept up to date from then on. */
  readonly #levels = new Map<number, Bitset>();

  constructor(dimensions: number, local: LocalVectors, unitOf: (row: number) => string) {
    this.#dimensions = dimensions;
    this.#local = local;
    this.#unitOf = unitOf;
  }

  add(row: number): void {
    if (this.#levels.size === 0) return;
    const zeros = zerosOf(this.#unitOf(row));
    for (const [level, rows] of this.#levels) rows.set(row, zeros >= level);
  }

  delete(row: number): void {
    for (const rows of this.#levels.values()) rows.delete(row);
  }

  /** Of the rows of `present` that are in `within`; null: of all of them. */
  meanOf(present: Bitset, within: Bitset | null): SampledMean {
    const rows = within === null ? present : within.clone().intersect(present);
    const count = rows.count();
    const sample = count <= MAX_SAMPLE ? rows : rows.clone().intersect(this.#level(levelFor(count), present));
    const total = new VectorTotal(this.#dimensions);
    let size = 0;
    for (const row of sample) {
      const vector = this.#local.get(row);
      if (vector !== undefined) total.add(vector);
      size++;
    }
    return { mean: total.mean(size), count: size };
  }

  #level(level: number, present: Bitset): Bitset {
    const known = this.#levels.get(level);
    if (known !== undefined) return known;
    const rows = new Bitset();
    for (const row of present) if (zerosOf(this.#unitOf(row)) >= level) rows.add(row);
    this.#levels.set(level, rows);
    return rows;
  }
}

const levelFor = (count: number): number => Math.ceil(Math.log2(count / MAX_SAMPLE));

/** How many zero bits its hash ends in (FNV-1a, then mixed: its lowest bits alone are not even). */
function zerosOf(unit: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < unit.length; i++) hash = Math.imul(hash ^ unit.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash === 0 ? 32 : 31 - Math.clz32(hash & -hash);
}
