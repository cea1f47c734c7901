import { LAST_RESULT } from '../../model/query/query.ts';

/** A server with hundreds of matching tools can fill a list alone. Then more units are fetched, up to MAX_UNITS. */
const MAX_UNITS = 10_000;
const FETCH_GROWTH = 8;

/** The next longer list of a leg that has too few results. */
export function nextDepth(units: number): number {
  return Math.min(MAX_UNITS, units * FETCH_GROWTH);
}

/** A guess that is a bit too high costs less than a second search. */
const SPARE = 1.25;

/** How to read a list of units. */
export interface ListReader<L> {
  readonly lengthOf: (list: L) => number;
  /** Equal for two positions with the same result. */
  readonly keyAt: (list: L, at: number) => string | number;
  /** The first units of a list. */
  readonly cut: (list: L, length: number) => L;
  /** A list, and behind it the units that only the longer one has. At most `length` units. */
  readonly extend: (list: L, longer: L, length: number) => L;
}

export interface ListNeed {
  /** The number of distinct results. */
  readonly results: number;
  /** The number of units, if these have enough results. */
  readonly limit: number;
  /**
   * Whether a longer list of the leg always starts with the shorter one. Then one search may be enough. Approximate searches
   * and queries with parts are not like that: their lists are fetched depth by depth and joined.
   */
  readonly isNested: boolean;
  /** For a nested list: how many units a result has on average. Only saves searches. Default: unknown. */
  readonly unitsPerResult?: number | undefined;
}

/**
 * The list of a leg: `limit` units, or the first depth (see `nextDepth`) with enough distinct results. Beyond the first depth
 * with room for every result that a page can show, a list ends with the last of these results. No depth depends on
 * `results`, so that a longer list starts with the shorter one.
 */
export function fetchEnough<L>(need: ListNeed, fetch: (limit: number) => L, reader: ListReader<L>): L {
  let shorter: L | null = null;
  for (let size = need.isNested ? firstSize(need) : need.limit; ; ) {
    const list: L = shorter === null ? fetch(size) : reader.extend(shorter, fetch(size), size);
    if (!need.isNested) shorter = list;
    const fetched = reader.lengthOf(list);
    const { length, seen, depth } = measure(need, list, size, reader);
    if (length !== null) return length === fetched ? list : reader.cut(list, length);
    const expected = Math.ceil((size * LAST_RESULT * SPARE) / Math.max(1, seen));
    size = depth <= roomFor(need.limit) ? depth : Math.min(depth, Math.max(2 * size, expected));
  }
}

/** The depths up to the first with room for this many results. Fewer units than results are never enough. */
export function depthsFor({ results, limit }: Pick<ListNeed, 'results' | 'limit'>): readonly number[] {
  const depths = [limit];
  for (let size = limit; size < results && size > 0 && size < MAX_UNITS; ) {
    size = nextDepth(size);
    depths.push(size);
  }
  return depths;
}

function firstSize(need: ListNeed): number {
  const { results, limit, unitsPerResult } = need;
  const size = depthsFor(need).at(-1)!;
  if (size === limit || size < LAST_RESULT || unitsPerResult === undefined) return size;
  return Math.max(size, Math.min(nextDepth(size), Math.ceil(results * unitsPerResult * SPARE)));
}

/** The first depth with room for every result that a page can show. */
function roomFor(limit: number): number {
  let depth = limit;
  while (depth < LAST_RESULT && depth > 0) depth = nextDepth(depth);
  return depth;
}

interface Measured {
  /** How many units of the list are needed; null: more than were fetched. */
  readonly length: number | null;
  /** The number of distinct results. */
  readonly seen: number;
  /** The depth that is needed, unless a shorter list has every result of a page. */
  readonly depth: number;
}

function measure<L>({ results, limit }: ListNeed, list: L, size: number, { lengthOf, keyAt }: ListReader<L>): Measured {
  const fetched = lengthOf(list);
  const room = roomFor(limit);
  const most = Math.max(results, LAST_RESULT);
  const keys = new Set<string | number>();
  let depth = limit;
  for (let at = 0; at < fetched; at++) {
    if (at === depth) {
      if (keys.size >= results || depth >= MAX_UNITS) return { length: at, seen: keys.size, depth };
      depth = nextDepth(depth);
    }
    keys.add(keyAt(list, at));
    if (keys.size >= results && fetched <= depth && depth <= room) return { length: fetched, seen: keys.size, depth };
    if (keys.size >= most && depth > room) return { length: at + 1, seen: keys.size, depth };
  }
  if (fetched < size || size === 0) return { length: fetched, seen: keys.size, depth };
  if (size < depth) return { length: null, seen: keys.size, depth };
  if (keys.size >= results || depth >= MAX_UNITS) return { length: fetched, seen: keys.size, depth };
  return { length: null, seen: keys.size, depth: nextDepth(depth) };
}
