import type { Bitset } from '../filter/bitset.ts';

/** Rows of an in-memory index with their scores, best first. */
export interface RowScores {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Orders rows with equal scores: negative if `a` comes first. Engines order by unit id. */
export type CompareRows = (a: number, b: number) => number;

export interface RowSearchOptions {
  /** Only these rows are returned, filtered before the limit; null for all. */
  readonly eligible: Bitset | null;
  readonly limit: number;
  readonly compareRows: CompareRows;
}
