import type { Bitset } from '../filter/bitset.ts';
import type { Arena } from './arena.ts';
import type { Scratch } from './vector-store.ts';

/**
 * The rows that a search may find, as bits in the `words` of its scratch. Most searches between two writes may find the
 * same ones: then the bits are still there.
 */
export class EligibleRows {
  readonly #arena: Arena;
  #words = 0;
  #eligible: Bitset | null = null;
  #version = 0;
  #writes = -1;
  #count = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Returns how many they are. `writes` rises with every write; `findable` are the rows below `rows` with a direction. */
  write(words: number, eligible: Bitset | null, findable: Bitset, rows: number, writes: number): number {
    const version = eligible?.version ?? 0;
    const isThere = this.#words === words && this.#eligible === eligible && this.#version === version;
    if (!isThere || this.#writes !== writes) {
      this.#count = writeBits(this.#arena.u32, words / 4, rows, findable, eligible ?? findable);
      this.#words = words;
      this.#eligible = eligible;
      this.#version = version;
      this.#writes = writes;
    }
    return this.#count;
  }
}

function writeBits(u32: Uint32Array, at: number, rows: number, findable: Bitset, eligible: Bitset): number {
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

/** Lists the rows of `words` in `rows`, in rising order. */
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
