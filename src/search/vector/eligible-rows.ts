import { type Bitset, countBits } from '../filter/bitset.ts';
import type { Arena } from './arena.ts';
import type { Scratch } from './vector-store.ts';

/**
 * Writes the eligible rows of a search as bits to the `words` of the scratch. Skips the work if the bits are still there
 * from the last search.
 */
export class EligibleRows {
  readonly #arena: Arena;
  #words = 0;
  #eligible: Bitset | null = null;
  #version = 0;
  #writeCount = -1;
  #count = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /**
   * Returns the number of eligible rows. `searchable` has the rows with a non-zero vector, all below `rows`. `writeCount`
   * increases with every write.
   */
  write(words: number, eligible: Bitset | null, searchable: Bitset, rows: number, writeCount: number): number {
    const version = eligible?.version ?? 0;
    const isCached = this.#words === words && this.#eligible === eligible && this.#version === version;
    if (!isCached || this.#writeCount !== writeCount) {
      this.#count = writeBits(this.#arena.u32, words / 4, rows, searchable, eligible ?? searchable);
      this.#words = words;
      this.#eligible = eligible;
      this.#version = version;
      this.#writeCount = writeCount;
    }
    return this.#count;
  }
}

function writeBits(u32: Uint32Array, at: number, rows: number, searchable: Bitset, eligible: Bitset): number {
  const left = searchable.words;
  const right = eligible.words;
  const size = (rows + 31) >>> 5;
  let count = 0;
  for (let i = 0; i < size; i++) {
    const word = (left[i] ?? 0) & (right[i] ?? 0);
    u32[at + i] = word;
    count += countBits(word);
  }
  return count;
}

/** Lists the rows of `scratch.words` in `scratch.rows`, ascending. */
export function listEligible({ u32 }: Arena, scratch: Scratch, rows: number): void {
  const size = (rows + 31) >>> 5;
  let to = scratch.rows / 4;
  for (let i = 0; i < size; i++) {
    let word = u32[scratch.words / 4 + i]!;
    while (word !== 0) {
      u32[to++] = (i << 5) + (31 - Math.clz32(word & -word));
      word &= word - 1;
    }
  }
}
