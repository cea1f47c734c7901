import type { Bitset } from '../filter/bitset.ts';
import type { VectorStore } from './vector-store.ts';

/** Writes the rows below `rows` that are findable and eligible into `scratch.words`; returns how many they are. */
export function writeEligible(store: VectorStore, rows: number, findable: Bitset, eligible: Bitset): number {
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

/** Writes all findable rows below `rows` into `scratch.words`. */
export function writeFindable(store: VectorStore, rows: number, findable: Bitset): void {
  const { u32 } = store.arena;
  const at = store.scratch.words / 4;
  const { words } = findable;
  const size = (rows + 31) >>> 5;
  u32.fill(0, at + Math.min(size, words.length), at + size);
  u32.set(words.subarray(0, size), at);
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
