/** `minmax`: the best score becomes 1, the worst 0, as in the registry. `ratio`: scores are divided by the best. */
export type NormalizeMode = 'minmax' | 'ratio';

/** Maps scores to [0, 1] by `score * factor + offset`. */
export interface Scaling {
  readonly factor: number;
  readonly offset: number;
}

/** The scaling of a list. If all scores are equal, every score becomes 1. */
export function scalingOf(scores: readonly number[], mode: NormalizeMode): Scaling {
  let max = Number.NEGATIVE_INFINITY;
  let min = Number.POSITIVE_INFINITY;
  for (const score of scores) {
    if (score > max) max = score;
    if (score < min) min = score;
  }
  if (mode === 'ratio') return max > 0 ? { factor: 1 / max, offset: 0 } : { factor: 0, offset: 1 };
  if (max === min) return { factor: 0, offset: 1 };
  const factor = 1 / (max - min);
  return { factor, offset: -min * factor };
}

/** Rounds to the four places of the registry's scores. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
