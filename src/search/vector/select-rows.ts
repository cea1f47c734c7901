import { GROUP_ROWS, type Kernel, MAX_SUM } from './kernel.ts';
import type { Scratch } from './vector-store.ts';

/** The minimum sum is found on a sample of about this many groups. That is accurate to a few percent. */
const SAMPLED_GROUPS = 512;
/** If a list is this many times shorter or longer than wanted, the sample was not representative. */
const MAX_SAMPLE_ERROR = 2;

type SummedRows = Pick<Scratch, 'sums' | 'words' | 'rows'>;

/** The listed rows: all rows with a sum of at least `minSum`, ascending. */
export interface Selection {
  readonly minSum: number;
  readonly count: number;
}

/** Returned by `selectFrom` if there are too many rows. */
export const TOO_MANY = -1;

/**
 * Lists the rows below `rowCount` with a sum of at least `minSum` behind the `listed` first entries, and returns how many these
 * are. Lists nothing if the list would have more than `maxRows` entries.
 */
export function selectFrom(
  kernel: Kernel,
  at: SummedRows,
  rowCount: number,
  minSum: number,
  listed: number,
  maxRows: number,
): number {
  const { sums, words, rows } = at;
  const groups = Math.ceil(rowCount / GROUP_ROWS);
  if (listed + kernel.countSums(sums, words, groups, 1, minSum) > maxRows) return TOO_MANY;
  return kernel.collectSums(sums, words, groups, minSum, MAX_SUM, rows + listed * 4);
}

/**
 * Lists about `wanted` rows below `rowCount` with the highest sums, or all rows if there are fewer. `maxStride` 1 takes no
 * sample: where a row lies then does not matter.
 */
export function selectBest(
  kernel: Kernel,
  at: SummedRows,
  rowCount: number,
  wanted: number,
  maxStride = Number.POSITIVE_INFINITY,
): Selection {
  const groups = Math.ceil(rowCount / GROUP_ROWS);
  const stride = Math.max(1, Math.min(maxStride, Math.floor(groups / SAMPLED_GROUPS)));
  const selection = selectBySample(kernel, at, groups, stride, wanted);
  const isAccurate = selection.count * MAX_SAMPLE_ERROR >= wanted && selection.count <= wanted * MAX_SAMPLE_ERROR;
  return isAccurate || stride === 1 ? selection : selectBySample(kernel, at, groups, 1, wanted);
}

function selectBySample(kernel: Kernel, at: SummedRows, groups: number, stride: number, wanted: number): Selection {
  const { sums, words, rows } = at;
  const countFrom = (low: number) => kernel.countSums(sums, words, groups, stride, low);
  const minSum = highestWithCount(0, MAX_SUM, wanted / stride, countFrom);
  return { minSum, count: kernel.collectSums(sums, words, groups, minSum, MAX_SUM, rows) };
}

/** Binary search for the highest value with a count of at least `minCount`; `lowest` if there is none. */
export function highestWithCount(
  lowest: number,
  highest: number,
  minCount: number,
  count: (low: number) => number,
): number {
  let passing = lowest;
  let failing = highest + 1;
  while (failing - passing > 1) {
    const middle = (passing + failing) >> 1;
    if (count(middle) >= minCount) passing = middle;
    else failing = middle;
  }
  return passing;
}
