import type { CompareRows, RowScores } from '../row-scores.ts';
import type { BestRows } from './best-rows.ts';
import { listEligible } from './eligible-rows.ts';
import { BOUND_KEYS, GROUP_ROWS, HIGHEST_KEY, HIGHEST_SUM, NO_KEY } from './kernel.ts';
import type { QueryForms } from './query-forms.ts';
import { SCORED_ROWS, type VectorStore } from './vector-store.ts';

/**
 * A row is let through when its sum is not further below what it takes than this many times the error of sums. On MiniLM
 * vectors that leaves out 4 in 10 000 of the best 75 rows.
 */
const ERRORS = 2.75;
/**
 * Where more than this share of the rows would be let through, bounding all of them in their order takes no longer. So it is
 * with queries that are like nothing, and with models that give all texts much the same direction.
 */
const MOST_SHARE = 1 / 5;
/** Where to cut the sums is found on about this many groups: enough to be right to some per cent. */
const SAMPLED_GROUPS = 512;

/** What the ways have in common. All rows they start from have a direction. */
export interface WaySearch {
  readonly store: VectorStore;
  readonly query: QueryForms;
  readonly best: BestRows;
  readonly limit: number;
  readonly compareRows: CompareRows;
}

/** Few rows, the first `count` of `scratch.rows`: score them all. */
export function searchFew(search: WaySearch, count: number): RowScores {
  const { store, best } = search;
  best.start(search.limit, count, search.compareRows);
  for (let from = 0; from < count; from += SCORED_ROWS) {
    offer(search, store.scratch.rows + from * 4, Math.min(SCORED_ROWS, count - from));
  }
  return best.take();
}

/**
 * More rows: bound every one by its code, then score those that can be among the best. Answers what `searchFew` would:
 * a row is left out only when its upper bound is below the score of as many rows as are wanted.
 */
export function searchBounded(search: WaySearch, count: number): RowScores {
  if (count <= search.limit) return searchFew(search, count);
  search.store.bound(0, count, search.query.code, search.query.boundTerms());
  return scoreBounded(search, count, findCut(search.store, count, search.limit));
}

/**
 * Very many rows, the `count` ones in `scratch.words`: sum the signs of every one and bound those with the best sums. The
 * first `candidates` show what it takes to be among the best; then come all whose sums may be off by as much as they
 * lack. May miss a neighbour whose sum is far off. `rows` is one more than the highest row, `sums` where the sums are if
 * they have been made before.
 */
export function searchSketched(
  search: WaySearch,
  rows: number,
  count: number,
  candidates: number,
  sums?: number,
): RowScores {
  const { store, query, limit } = search;
  const { sketch } = query;
  if (sums === undefined) store.sum(rows, sketch);
  const at = sums ?? store.scratch.sums;
  const groups = Math.ceil(rows / GROUP_ROWS);
  const stride = Math.max(1, Math.floor(groups / SAMPLED_GROUPS));
  let first = cutSums(store, at, groups, stride, candidates);
  let picked = listSums(store, at, groups, first, HIGHEST_SUM, 0);
  if (picked < candidates) {
    // Rows that may be found can lie where the sample did not look.
    first = cutSums(store, at, groups, 1, candidates);
    picked = listSums(store, at, groups, first, HIGHEST_SUM, 0);
  }
  if (picked <= limit) return searchFew(search, picked);
  const terms = query.boundTerms();
  store.bound(0, picked, query.code, terms);
  const cut = findCut(store, picked, limit);
  const needed = Math.floor(sketch.sumOf(cut / BOUND_KEYS, ERRORS));
  if (needed >= first) return scoreBounded(search, picked, cut);
  const last = Math.max(0, needed);
  if (store.kernel.countSums(at, store.scratch.words, groups, 1, last) > MOST_SHARE * count) {
    listEligible(store, rows);
    return searchBounded(search, count);
  }
  const all = listSums(store, at, groups, last, first - 1, picked);
  store.bound(picked, all, query.code, terms);
  return scoreBounded(search, all, findCut(store, all, limit));
}

/** Scores the listed rows whose bounds reach `first`, as many as are wanted or more, then those that can still get in. */
function scoreBounded(search: WaySearch, count: number, first: number): RowScores {
  const { best } = search;
  best.start(search.limit, count, search.compareRows);
  offerKeys(search, count, first, HIGHEST_KEY);
  const last = Math.ceil(BOUND_KEYS * best.lowest);
  if (last < first) offerKeys(search, count, last, first - 1);
  return best.take();
}

/** The highest sum that about `wanted` rows reach, by every `stride`th group. With a stride of 1 at least as many do. */
function cutSums(store: VectorStore, sums: number, groups: number, stride: number, wanted: number): number {
  const { words } = store.scratch;
  return highestReached(0, HIGHEST_SUM, wanted / stride, (low) =>
    store.kernel.countSums(sums, words, groups, stride, low),
  );
}

/** Lists rows by their sums in `scratch.rows`, from the entry `from` on; returns where the list ends. */
function listSums(store: VectorStore, sums: number, groups: number, low: number, high: number, from: number): number {
  const { words, rows } = store.scratch;
  return from + store.kernel.collectSums(sums, words, groups, low, high, rows + from * 4);
}

/** The highest key that at least `least` of the first `count` keys reach. */
function findCut(store: VectorStore, count: number, least: number): number {
  const { keys } = store.scratch;
  const end = keys / 2 + count;
  store.arena.i16.fill(NO_KEY, end, end + 32);
  return highestReached(NO_KEY + 1, HIGHEST_KEY, least, (low) => store.kernel.countKeys(keys, count, low));
}

/** The highest value that at least `least` reach, by halving; `lowest` where there is none. */
function highestReached(lowest: number, highest: number, least: number, count: (low: number) => number): number {
  let reached = lowest;
  let missed = highest + 1;
  while (missed - reached > 1) {
    const middle = (reached + missed) >> 1;
    if (count(middle) >= least) reached = middle;
    else missed = middle;
  }
  return reached;
}

/** Scores the listed rows whose keys are from `low` to `high`. */
function offerKeys(search: WaySearch, count: number, low: number, high: number): void {
  const { kernel, scratch, picked } = search.store;
  for (let from = 0; from < count; from += SCORED_ROWS) {
    const some = Math.min(SCORED_ROWS, count - from);
    offer(
      search,
      picked,
      kernel.collectKeys(scratch.keys + from * 2, some, low, high, scratch.rows + from * 4, picked),
    );
  }
}

function offer(search: WaySearch, list: number, count: number): void {
  const { store, query, best } = search;
  store.score(list, count, query.exact);
  const { u32, f64 } = store.arena;
  const rows = list / 4;
  const scores = store.scores / 8;
  for (let i = 0; i < count; i++) best.add(u32[rows + i]!, f64[scores + i]!);
}
