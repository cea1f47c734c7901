import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import type { ViewRow } from '../../registry/contract/registry.ts';
import type { Memory, MemoryCounts, MemoryPage } from '../contract/memory-answers.ts';
import { type ListMemories, listMemoriesSchema, type MemoryFilters } from '../contract/memory-requests.ts';
import { toMemory } from '../contract/to-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { type TimeRange, timeWordsIn } from '../time/time-words.ts';
import { allTags, filterRows, type RowQuery, toMemoryFilter } from './filter-rows.ts';

const DAY_MS = 86_400_000;

/** What the time words of a request mean. Throws INVALID_REQUEST for words that mean no time. */
export async function timesOf({ time_expr }: MemoryFilters, now: Date): Promise<TimeRange | null> {
  if (time_expr === undefined) return null;
  const found = await timeWordsIn(time_expr, now);
  if (found !== null) return found.range;
  throw new DowserError('INVALID_REQUEST', `'time_expr' is ${JSON.stringify(time_expr)}: no time was found in it.`, {
    field: 'time_expr',
    hint: 'Say last week, 3 days ago, june 2025, between january and march, or give after and before.',
  });
}

/** Which rows the shared filters of a request let pass. */
export async function rowQuery(
  { now, settings }: Pick<MemoryParts, 'now' | 'settings'>,
  filters: MemoryFilters,
  shown: Pick<RowQuery, 'withSuperseded' | 'withDeleted'>,
): Promise<RowQuery> {
  const moment = now();
  const asked = { at: moment.getTime(), certaintyDays: settings.certaintyDays };
  const memory = toMemoryFilter(filters, await timesOf(filters, moment), asked);
  return { memory, tags: allTags(filters), ...shown };
}

export async function readRows(
  { registry }: Pick<MemoryParts, 'registry'>,
  rows: readonly ViewRow[],
): Promise<Memory[]> {
  return (
    await registry.getMany(
      'memory',
      rows.map(({ path }) => path),
    )
  ).map(toMemory);
}

export async function listMemories(parts: MemoryParts, input: ListMemories = {}): Promise<MemoryPage> {
  const query = parseWith(listMemoriesSchema, input, 'list');
  const { page, page_size, stale_days, newest_per_tag, include_superseded, include_deleted } = query;
  const now = parts.now();
  const shown = { withSuperseded: include_superseded, withDeleted: include_deleted };
  const passing = filterRows(await parts.registry.rows('memory'), await rowQuery(parts, query, shown));
  const first = newest_per_tag === undefined ? passing : newestPerTag(passing, newest_per_tag);
  const found = stale_days === undefined ? first : await stale(parts, first, now.getTime() - stale_days * DAY_MS);
  const start = (page - 1) * page_size;
  const memories = await readRows(parts, found.slice(start, start + page_size));
  const total = found.length;
  const total_pages = Math.ceil(total / page_size);
  return { memories, total, page, page_size, total_pages, has_more: page < total_pages };
}

/** The first row of each tag with this beginning. */
function newestPerTag(rows: readonly ViewRow[], beginning: string): ViewRow[] {
  const seen = new Set<string>();
  return rows.filter(({ tags }) => {
    const fresh = tags.filter((tag) => tag.startsWith(beginning) && !seen.has(tag));
    for (const tag of fresh) seen.add(tag);
    return fresh.length > 0;
  });
}

/** Neither learned nor recalled since a moment. */
async function stale({ recalls }: MemoryParts, rows: readonly ViewRow[], since: number): Promise<ViewRow[]> {
  const known = await recalls.read();
  return rows.filter(({ path, memory }) => {
    const last = known.get(path)?.last;
    return (last === undefined ? (memory?.at ?? 0) : Date.parse(last)) < since;
  });
}

/** What there is, by tag, type and source. */
export async function countMemories({ registry }: MemoryParts): Promise<MemoryCounts> {
  const rows = await registry.rows('memory');
  const kept = rows.filter(({ is_enabled }) => is_enabled);
  const current = kept.filter(({ status }) => status !== 'deprecated');
  const labels = (kind: string) =>
    countsOf(current.flatMap(({ memory }) => memory?.labels.filter((label) => label.startsWith(kind)) ?? []));
  return {
    total: current.length,
    superseded: kept.length - current.length,
    deleted: rows.length - kept.length,
    untagged: current.filter(({ tags }) => tags.length === 0).length,
    tags: countsOf(current.flatMap(({ tags }) => tags)).map(([tag, count]) => ({ tag, count })),
    types: labels('type:').map(([label, count]) => ({ type: label.slice('type:'.length), count })),
    sources: labels('source:').map(([label, count]) => ({ source: label.slice('source:'.length), count })),
  };
}

/** Most frequent first, then by name. */
function countsOf(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}
