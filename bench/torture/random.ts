/** Numbers that a seed repeats. */
export interface Random {
  /** From 0 to 1. */
  next(): number;
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** True with this chance. */
  chance(share: number): boolean;
}

/** The same sequence for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return { next, int, pick: (from) => from[int(from.length)]!, chance: (share) => next() < share };
}
