import type { Bitset } from '../filter/bitset.ts';
import type { VectorStore } from './vector-store.ts';

/**
 * The rows that a search may find, as bits in `scratch.words`. Most searches between two writes may find the same ones:
 * then the bits are still there.
 */
export class EligibleRows {
  readonly #store: VectorStore;
  #eligible: Bitset | null = null;
  #version = 0;
  #writes = -1;
  #count = 0;

  constructor(store: VectorStore) {
    this.#store = store;
  }

  /** Returns how many they are. `writes` rises with every write; `findable` are the rows below `rows` with a direction. */
  write(eligible: Bitset | null, findable: Bitset, rows: number, writes: number): number {
    const version = eligible?.version ?? 0;
    if (this.#eligible !== eligible || this.#version !== version || this.#writes !== writes) {
      this.#count = writeBits(this.#store, rows, findable, eligible ?? findable);
      this.#eligible = eligible;
      this.#version = version;
      this.#writes = writes;
    }
    return this.#count;
  }
}

function writeBits(store: VectorStore, rows: number, findable: Bitset, eligible: Bitset): number {
  const { u32 } = store.arena;
  const at = store.scratch.words / 4;
  const left = findable.words;
  const right = eligible.words;
  const size = (rows + 31) >>> 5;
  let count = 0;
  for (let i = 0; i < size; i++) {
    let word = (left[i] ?? 0) & (right[i] ?? 0);
    u32[at + i] = word;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
  }
  return count;
}

/** Lists the rows of `scratch.words` in `scratch.rows`, in rising order. */
export function listEligible(store: VectorStore, rows: number): void {
  const { u32 } = store.arena;
  const { scratch } = store;
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
