import type { VectorIndexOptions } from '../../src/search/vector/vector-index.ts';

export const compareRows = (a: number, b: number) => a - b;
/** A search without a filter. */
export const all = { eligible: null, compareRows };
/** Options that choose each way to scan. */
export const STRATEGIES: Record<string, VectorIndexOptions> = {
  exhaustive: { maxExhaustiveRows: 1e9 },
  bounded: { maxExhaustiveRows: 0, minSketchRows: 1e9 },
  sketched: { maxExhaustiveRows: 0, minSketchRows: 0 },
};

/** Pseudo-random numbers, the same in every run. */
export function vectors(count: number, dimensions: number): Float32Array[] {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next));
}
