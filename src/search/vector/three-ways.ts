import { type CompareRows, type RowScores, TopRows } from '../row-scores.ts';
import { BOUND_KEYS, HIGHEST_KEY, NO_KEY } from './kernel.ts';
import type { QueryForms } from './query-forms.ts';
import type { VectorStore } from './vector-store.ts';

/** Keys to look at for a first guess of where to cut. */
const SAMPLE = 256;

/** What the ways have in common. All rows they start from have a direction. */
export interface WaySearch {
  readonly store: VectorStore;
  readonly query: QueryForms;
  readonly limit: number;
  readonly compareRows: CompareRows;
}

/** Few rows, the first `count` of `scratch.rows`: score them all. */
export function searchFew(search: WaySearch, count: number): RowScores {
  const { store } = search;
  const top = new TopRows(search.limit, search.compareRows);
  offer(search, top, store.scratch.rows, count);
  return top.take();
}

/**
 * More rows: bound every one by its code, then score those that can be among the best. Answers what `searchFew` would:
 * a row is left out only when its upper bound is below the score of the last row that got in.
 */
export function searchBounded(search: WaySearch, count: number): RowScores {
  const { store, query, limit } = search;
  if (count <= limit) return searchFew(search, count);
  const { kernel, scratch } = store;
  const { keys, rows, picked } = scratch;
  const { unit, spread, slack } = query.writeCode();
  store.bound(count, query.code, unit, spread, slack);
  const end = keys / 2 + count;
  store.arena.i16.fill(NO_KEY, end, end + 32);
  const top = new TopRows(limit, search.compareRows);
  const first = findCut(search, count, limit, limit * 2);
  offer(search, top, picked, kernel.collectKeys(keys, count, first, HIGHEST_KEY, rows, picked));
  const last = Math.ceil(BOUND_KEYS * top.threshold);
  if (last < first) offer(search, top, picked, kernel.collectKeys(keys, count, last, first - 1, rows, picked));
  return top.take();
}

/**
 * Very many rows, those in `scratch.words`: estimate every one by its sketch and bound the best `candidates` of them. May
 * miss a neighbour whose estimate is far off. `rows` is one more than the highest row.
 */
export function searchSketched(search: WaySearch, rows: number, candidates: number): RowScores {
  const { store, query } = search;
  const { kernel, scratch } = store;
  const { unit, base } = query.writeTable();
  store.estimate(rows, query.table, unit, base);
  const padded = Math.ceil(rows / 32) * 32;
  const cut = findCut(search, padded, candidates, candidates * 1.25);
  return searchBounded(search, kernel.collectKeys(scratch.keys, padded, cut, HIGHEST_KEY, 0, scratch.rows));
}

/** A key that at least `least` of the rows reach, and if it can be had no more than `most`. */
function findCut(search: WaySearch, count: number, least: number, most: number): number {
  const { kernel, scratch } = search.store;
  let reached = NO_KEY + 1;
  let missed = HIGHEST_KEY + 1;
  let cut = guessCut(search, count, (least + most) / 2);
  // Away from the guess in growing steps, halving what is left once that is less.
  for (let step = 128; missed - reached > 1; step *= 2) {
    const found = kernel.countKeys(scratch.keys, count, cut);
    if (found < least) {
      missed = cut;
      cut = Math.max(cut - step, (reached + cut) >> 1);
    } else {
      reached = cut;
      if (found <= most) break;
      cut = Math.min(cut + step, (cut + missed) >> 1);
    }
  }
  return reached;
}

/** Where about `wanted` keys should be above, from a sample. Saves most of the passes over many keys. */
function guessCut(search: WaySearch, count: number, wanted: number): number {
  const { arena, scratch } = search.store;
  const sample = new Int16Array(SAMPLE);
  for (let i = 0; i < SAMPLE; i++) sample[i] = arena.i16[scratch.keys / 2 + Math.floor((i * count) / SAMPLE)]!;
  const guess = sample.sort()[Math.floor(SAMPLE * (1 - wanted / count))] ?? 0;
  return Math.max(NO_KEY + 2, guess);
}

function offer(search: WaySearch, top: TopRows, list: number, count: number): void {
  const { store, query } = search;
  store.score(list, count, query.exact);
  const { u32, f64 } = store.arena;
  const scores = store.scratch.scores / 8;
  for (let i = 0; i < count; i++) {
    const score = f64[scores + i]!;
    if (score >= top.threshold) top.offer(u32[list / 4 + i]!, score);
  }
}
