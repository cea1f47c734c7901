/** What an in-process index answers: rows and their scores, best first. */
export interface RowScores {
  readonly rows: readonly number[];
  readonly scores: readonly number[];
}

/** Orders two rows of equal score; engines order by unit id. Negative when `a` comes first. */
export type CompareRows = (a: number, b: number) => number;
