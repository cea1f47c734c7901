import type { BestRows } from '../best-rows.ts';
import type { CompareRows, RowScores } from '../row-scores.ts';
import { listEligible } from './eligible-rows.ts';
import { BOUND_KEYS, HIGHEST_KEY, NO_KEY } from './kernel.ts';
import { highestReached, TOO_MANY } from './pick-rows.ts';
import type { QueryForms } from './query-forms.ts';
import type { RowPicker } from './row-picker.ts';
import { SCORED_ROWS, type Scratch, type VectorStore } from './vector-store.ts';

/**
 * A row is let through when its sum is not further below what it takes than this many times the error of sums. On MiniLM
 * vectors that leaves out 2 in 10 000 of the best 75 rows.
 */
const ERRORS = 3;
/**
 * Where more than this share of the rows would be let through, bounding all of them in their order takes no longer. So it is
 * with queries that are like nothing, and with models that give all texts much the same direction.
 */
const MAX_SHARE = 1 / 5;

/** What the ways have in common. All rows they start from have a direction. */
export interface WaySearch {
  readonly store: VectorStore;
  readonly scratch: Scratch;
  readonly query: QueryForms;
  readonly best: BestRows;
  readonly limit: number;
  readonly compareRows: CompareRows;
}

/** Few rows, the first `count` that are listed: score them all. */
export function searchFew(search: WaySearch, count: number): RowScores {
  const { scratch, best } = search;
  best.start(search.limit, search.compareRows);
  for (let from = 0; from < count; from += SCORED_ROWS) {
    offer(search, scratch.rows + from * 4, Math.min(SCORED_ROWS, count - from));
  }
  return best.take();
}

/**
 * More rows: bound every one by its code, then score those that can be among the best. Answers what `searchFew` would:
 * a row is left out only when its upper bound is below the score of as many rows as are wanted.
 */
export function searchBounded(search: WaySearch, count: number): RowScores {
  if (count <= search.limit) return searchFew(search, count);
  search.store.bound(search.scratch, 0, count, search.query.code, search.query.boundTerms());
  return scoreBounded(search, count, findCut(search, count));
}

/**
 * Very many rows, the `count` ones in `words`: sum some of the signs of every one and bound those with the best sums. The
 * first `candidates` show what it takes to be among the best. Where rows with lower sums may have it too, because sums may
 * be off by as much as they lack, sum more of the signs, and bound all that may have it. May miss a neighbor whose sum is
 * far off. `rows` is one more than the highest row.
 */
export function searchSketched(
  search: WaySearch,
  picker: RowPicker,
  rows: number,
  count: number,
  candidates: number,
): RowScores {
  const { sketch } = search.query;
  const picked = picker.best(candidates);
  if (picked.count <= search.limit) return searchAll(search, rows, count);
  const cut = findCut(search, picked.count);
  const cosine = cut / BOUND_KEYS;
  if (Math.floor(sketch.sumOf(cosine, ERRORS, 'first')) >= picked.first) return scoreBounded(search, picked.count, cut);
  const needed = Math.max(0, Math.floor(sketch.sumOf(cosine, ERRORS, 'all')));
  const before = listed(search, picked.count);
  const found = picker.from(needed, MAX_SHARE * count);
  if (found === TOO_MANY) return searchAll(search, rows, count);
  const all = addLower(search, before, needed, found);
  return scoreBounded(search, all, findCut(search, all));
}

/** Every row in `words`. */
function searchAll(search: WaySearch, rows: number, count: number): RowScores {
  listEligible(search.store.arena, search.scratch, rows);
  return searchBounded(search, count);
}

function listed({ store, scratch }: WaySearch, count: number): Uint32Array {
  return store.arena.u32.slice(scratch.rows / 4, scratch.rows / 4 + count);
}

/**
 * Adds to the first `count` rows in the list those of `rows` whose sums are below `needed`, which are not in it: they are
 * what showed what it takes. Rows that are much alike are off by much the same, and without them all could be left out.
 */
function addLower({ store, scratch, query }: WaySearch, rows: Uint32Array, needed: number, count: number): number {
  const { u8, u32 } = store.arena;
  let all = count;
  for (const row of rows) if (u8[scratch.sums + row]! < needed) u32[scratch.rows / 4 + all++] = row;
  store.bound(scratch, count, all, query.code, query.boundTerms());
  return all;
}

/** Scores the listed rows whose bounds reach `first`, as many as are wanted or more, then those that can still get in. */
function scoreBounded(search: WaySearch, count: number, first: number): RowScores {
  const { best } = search;
  best.start(search.limit, search.compareRows);
  offerKeys(search, count, first, HIGHEST_KEY);
  const last = Math.ceil(BOUND_KEYS * best.lowestScore);
  if (last < first) offerKeys(search, count, last, first - 1);
  return best.take();
}

/** The highest key that as many of the first `count` keys reach as are wanted. */
function findCut({ store, scratch, limit }: WaySearch, count: number): number {
  const { keys } = scratch;
  const end = keys / 2 + count;
  store.arena.i16.fill(NO_KEY, end, end + 32);
  return highestReached(NO_KEY + 1, HIGHEST_KEY, limit, (low) => store.kernel.countKeys(keys, count, low));
}

/** Scores the listed rows whose keys are from `low` to `high`. */
function offerKeys(search: WaySearch, count: number, low: number, high: number): void {
  const { scratch } = search;
  const { kernel, picked } = search.store;
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
