/** A result with its confidence. */
export interface Judged {
  readonly confidence: number;
  readonly isRight: boolean;
}

const BINS = 10;

/**
 * The expected calibration error: results are sorted into ten bins by confidence, and the mean confidence of each bin is
 * compared with the share of right results in it. 0 is perfect.
 */
export function calibrationError(results: readonly Judged[]): number {
  let error = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const own = results.filter(({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)) === bin);
    const confidence = own.reduce((sum, one) => sum + one.confidence, 0);
    const right = own.filter(({ isRight }) => isRight).length;
    error += Math.abs(confidence - right) / Math.max(1, results.length);
  }
  return error;
}
