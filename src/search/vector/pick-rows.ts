import { GROUP_ROWS, HIGHEST_SUM, type Kernel } from './kernel.ts';

/** Where to cut the sums is found on about this many groups: enough to be right to some per cent. */
const SAMPLED_GROUPS = 512;
/** A sample that leads to a list this many times shorter or longer than wanted did not look where the rows are. */
const MAX_OFF = 2;

/** Where the sums of rows are, which of the rows may be found, and where to list rows: addresses as in `Scratch`. */
export interface SummedRows {
  readonly sums: number;
  readonly words: number;
  readonly rows: number;
}

/** The rows whose sums reach `first`, listed in rising order. */
export interface Picked {
  readonly first: number;
  readonly count: number;
}

/** What `pickFrom` answers where there are too many rows to list. */
export const TOO_MANY = -1;

/** Lists the rows below `rowCount` whose sums reach `first`, unless they are more than `most`. */
export function pickFrom(kernel: Kernel, at: SummedRows, rowCount: number, first: number, most: number): number {
  const { sums, words, rows } = at;
  const groups = Math.ceil(rowCount / GROUP_ROWS);
  if (kernel.countSums(sums, words, groups, 1, first) > most) return TOO_MANY;
  return kernel.collectSums(sums, words, groups, first, HIGHEST_SUM, rows);
}

/** Lists about `wanted` of the rows below `rowCount`, those with the highest sums; all where there are fewer. */
export function pickBest(kernel: Kernel, at: SummedRows, rowCount: number, wanted: number): Picked {
  const groups = Math.ceil(rowCount / GROUP_ROWS);
  const stride = Math.max(1, Math.floor(groups / SAMPLED_GROUPS));
  const picked = pickBySample(kernel, at, groups, stride, wanted);
  const isFair = picked.count * MAX_OFF >= wanted && picked.count <= wanted * MAX_OFF;
  return isFair || stride === 1 ? picked : pickBySample(kernel, at, groups, 1, wanted);
}

function pickBySample(kernel: Kernel, at: SummedRows, groups: number, stride: number, wanted: number): Picked {
  const { sums, words, rows } = at;
  const reach = (low: number) => kernel.countSums(sums, words, groups, stride, low);
  const first = highestReached(0, HIGHEST_SUM, wanted / stride, reach);
  return { first, count: kernel.collectSums(sums, words, groups, first, HIGHEST_SUM, rows) };
}

/** The highest value that at least `least` reach, by halving; `lowest` where there is none. */
export function highestReached(lowest: number, highest: number, least: number, count: (low: number) => number): number {
  let reached = lowest;
  let missed = highest + 1;
  while (missed - reached > 1) {
    const middle = (reached + missed) >> 1;
    if (count(middle) >= least) reached = middle;
    else missed = middle;
  }
  return reached;
}
