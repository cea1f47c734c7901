import type { BestRows } from '../rows/best-rows.ts';
import type { CompareRows, RowScores } from '../rows/row-scores.ts';
import { listEligible } from './eligible-rows.ts';
import type { EncodedQuery } from './encoded-query.ts';
import { KEYS_PER_COSINE, MAX_KEY, NO_KEY } from './kernel.ts';
import { highestWithCount, selectBest, selectFrom, TOO_MANY } from './select-rows.ts';
import { SCORE_BATCH, type Scratch, type VectorStore } from './vector-store.ts';

/**
 * A row is selected if its sum is at most this many standard deviations below the expected sum of a result. On MiniLM
 * vectors this misses 2 in 10 000 of the best 75 rows.
 */
const MAX_DEVIATIONS = 3;
/** With up to this many eligible rows, most searches would need a second pass. */
const MAX_ONE_PASS_ROWS = 20_000;
/**
 * If the sketch selects a larger share of the rows, bounding all rows is as fast. That happens for queries that are similar
 * to nothing, and for models with similar vectors for all texts.
 */
const MAX_SKETCH_SHARE = 1 / 5;

/** The input of each strategy. All eligible rows have a non-zero vector. */
export interface ScanContext {
  readonly store: VectorStore;
  readonly scratch: Scratch;
  readonly query: EncodedQuery;
  readonly best: BestRows;
  readonly limit: number;
  readonly compareRows: CompareRows;
}

export interface SketchScan {
  /** One more than the highest row. */
  readonly rows: number;
  /** How many of them are eligible, and about how many of these to bound. */
  readonly count: number;
  readonly candidates: number;
  /** See `VectorSearchOptions`. */
  readonly isolated: boolean;
}

/** For few rows: scores the first `count` listed rows. */
export function searchExhaustive(scan: ScanContext, count: number): RowScores {
  const { scratch, best } = scan;
  best.start(scan.limit, scan.compareRows);
  for (let from = 0; from < count; from += SCORE_BATCH) {
    addScores(scan, scratch.rows + from * 4, Math.min(SCORE_BATCH, count - from));
  }
  return best.take();
}

/**
 * For more rows: computes an upper bound from the code of each of the first `count` listed rows. Then scores only the rows
 * that can be among the best. Gives the same result as `searchExhaustive`.
 */
export function searchBounded(scan: ScanContext, count: number): RowScores {
  if (count <= scan.limit) return searchExhaustive(scan, count);
  boundRows(scan, 0, count);
  return scoreBounded(scan, count, findCutoff(scan, count));
}

/**
 * For very many rows, the `count` rows in `words`. Sums some signs of every row and bounds about `candidates` rows with the
 * highest sums. Their bounds give the cosine that a result needs. Rows with lower sums that may reach it too are bounded
 * after them. With more than MAX_ONE_PASS_ROWS, a first pass over fewer signs is mostly enough: then the candidates stand out.
 * May miss a row with an inaccurate sum.
 */
export function searchSketched(scan: ScanContext, { rows, count, candidates, isolated }: SketchScan): RowScores {
  const { store, scratch } = scan;
  const { sketch } = scan.query;
  const isOnePass = count <= MAX_ONE_PASS_ROWS;
  store.sumColumns(rows, isOnePass ? sketch.all : sketch.first, scratch.sums, false);
  const selection = selectBest(store.kernel, scratch, rows, candidates, isolated ? 1 : undefined);
  if (selection.count <= scan.limit) return searchAll(scan, rows, count);
  boundRows(scan, 0, selection.count);
  const cutoff = findCutoff(scan, selection.count);
  const minSumIn = (columns: 'first' | 'all') =>
    Math.floor(sketch.expectedSum(cutoff / KEYS_PER_COSINE, MAX_DEVIATIONS, columns));
  let minSum = minSumIn(isOnePass ? 'all' : 'first');
  if (minSum >= selection.minSum) return scoreBounded(scan, selection.count, cutoff);
  if (!isOnePass) {
    store.sumColumns(rows, sketch.rest, scratch.sums, true);
    minSum = minSumIn('all');
  }
  clearSums(scan, selection.count);
  const most = MAX_SKETCH_SHARE * count;
  const more = minSum < 1 ? TOO_MANY : selectFrom(store.kernel, scratch, rows, minSum, selection.count, most);
  if (more === TOO_MANY) return searchAll(scan, rows, count);
  boundRows(scan, selection.count, more);
  const all = selection.count + more;
  return scoreBounded(scan, all, findCutoff(scan, all));
}

/** Searches every row in `words`. */
function searchAll(scan: ScanContext, rows: number, count: number): RowScores {
  listEligible(scan.store.arena, scan.scratch, rows);
  return searchBounded(scan, count);
}

/** Bounds `count` listed rows, from the position `from` on. */
function boundRows({ store, scratch, query }: ScanContext, from: number, count: number): void {
  store.boundRows(scratch, from, count, query.code, query.boundTerms());
}

/** So that the first `count` listed rows are not listed again. */
function clearSums({ store, scratch }: ScanContext, count: number): void {
  const { u8, u32 } = store.arena;
  for (let i = 0; i < count; i++) u8[scratch.sums + u32[scratch.rows / 4 + i]!] = 0;
}

/** Scores the listed rows with keys from `first` on, at least `limit` rows. Then scores the rows that can still get in. */
function scoreBounded(scan: ScanContext, count: number, first: number): RowScores {
  const { best } = scan;
  best.start(scan.limit, scan.compareRows);
  scoreKeyRange(scan, count, first, MAX_KEY);
  const last = Math.ceil(KEYS_PER_COSINE * best.lowestScore);
  if (last < first) scoreKeyRange(scan, count, last, first - 1);
  return best.take();
}

/** The highest key that at least `limit` of the first `count` keys reach. */
function findCutoff({ store, scratch, limit }: ScanContext, count: number): number {
  const { keys } = scratch;
  const end = keys / 2 + count;
  store.arena.i16.fill(NO_KEY, end, end + 32);
  return highestWithCount(NO_KEY + 1, MAX_KEY, limit, (low) => store.kernel.countKeys(keys, count, low));
}

/** Scores the listed rows with keys from `low` to `high`. */
function scoreKeyRange(scan: ScanContext, count: number, low: number, high: number): void {
  const { scratch } = scan;
  const { kernel, scoreList } = scan.store;
  for (let from = 0; from < count; from += SCORE_BATCH) {
    const some = Math.min(SCORE_BATCH, count - from);
    addScores(
      scan,
      scoreList,
      kernel.collectKeys(scratch.keys + from * 2, some, low, high, scratch.rows + from * 4, scoreList),
    );
  }
}

function addScores(scan: ScanContext, list: number, count: number): void {
  const { store, query, best } = scan;
  store.scoreRows(list, count, query.exact);
  const { u32, f64 } = store.arena;
  const rows = list / 4;
  const scores = store.scores / 8;
  for (let i = 0; i < count; i++) best.add(u32[rows + i]!, f64[scores + i]!);
}
