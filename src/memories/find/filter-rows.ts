import type { UnitId } from '../../model/entity-parts/unit.ts';
import { type Filter, type FilterFacts, filterMatcher, foldTag } from '../../model/query/filter.ts';
import { type MemoryFilter, memoryClauses } from '../../model/query/memory-filter.ts';
import type { ViewRow } from '../../registry/contract/registry.ts';
import type { MemoryFilters } from '../contract/memory-requests.ts';
import { trustedFrom } from '../contract/source-class.ts';
import type { TimeRange } from '../time/time-words.ts';

const list = <T>(value: T | readonly T[]): T[] => (Array.isArray(value) ? [...value] : [value as T]);

/** When it is asked, in milliseconds, and in how many days a certainty halves. */
export interface Asked {
  readonly at: number;
  readonly certaintyDays: number;
}

/** The shared filters of a request as the filter of a search. `times` is what its time words mean. */
export function toMemoryFilter(
  filters: MemoryFilters,
  times: TimeRange | null,
  { at, certaintyDays }: Asked,
): MemoryFilter {
  const {
    memory_type,
    agent_id,
    conversation_id,
    namespace,
    source_class,
    min_source,
    tags,
    tag_match,
    min_certainty,
  } = filters;
  const after = latest([filters.after, times?.from]);
  const before = earliest([filters.before === undefined ? undefined : endOf(filters.before), times?.to]);
  const floor = min_source === undefined ? undefined : trustedFrom(min_source);
  const classes = source_class === undefined ? floor : list(source_class).filter((one) => floor?.includes(one) ?? true);
  return {
    ...(memory_type === undefined ? {} : { types: list(memory_type) }),
    ...(agent_id === undefined ? {} : { agents: [agent_id] }),
    ...(conversation_id === undefined ? {} : { conversations: [conversation_id] }),
    ...(namespace === undefined ? {} : { namespaces: [namespace] }),
    ...(classes === undefined ? {} : { sources: [...classes] }),
    ...(tags === undefined || tags.length === 0 || tag_match === 'all' ? {} : { tags_any: tags }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(min_certainty === undefined
      ? {}
      : { certainty: { min: min_certainty, at: new Date(at).toISOString(), halves_in_days: certaintyDays } }),
  };
}

/** The tags that must all be there. */
export const allTags = ({ tags, tag_match }: MemoryFilters): readonly string[] =>
  tag_match === 'all' ? (tags ?? []) : [];

/** A date counts whole: before 2026-03-01 includes that day. */
function endOf(moment: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(moment)) return moment;
  return new Date(Date.parse(moment) + 86_400_000).toISOString();
}

const byTime = (a: string, b: string) => Date.parse(a) - Date.parse(b);
const latest = (moments: readonly (string | undefined)[]) =>
  moments
    .filter((one) => one !== undefined)
    .sort(byTime)
    .at(-1);
const earliest = (moments: readonly (string | undefined)[]) =>
  moments.filter((one) => one !== undefined).sort(byTime)[0];

/** No filter of memories looks at units. */
const CARD = 'card' as UnitId;

export interface RowQuery {
  readonly memory: MemoryFilter;
  /** All of these. */
  readonly tags: readonly string[];
  readonly withSuperseded: boolean;
  readonly withDeleted: boolean;
}

/** The rows that pass, newest first, then by path. The filter has the meaning that a search gives it. */
export function filterRows(
  rows: readonly ViewRow[],
  { memory, tags, withSuperseded, withDeleted }: RowQuery,
): ViewRow[] {
  const filter: Filter = {
    ...memoryClauses(memory),
    ...(tags.length === 0 ? {} : { tags }),
    ...(withSuperseded ? {} : { statuses: ['active', 'beta', 'draft'] }),
    ...(withDeleted ? {} : { enabled: true }),
  };
  const matches = filterMatcher(filter);
  return newestFirst(
    rows.filter((row) => matches(factsOf(row))),
    rows,
  );
}

function factsOf({ id, status, is_enabled: enabled, visibility, memory, tags }: ViewRow): FilterFacts {
  const folded = tags.map(foldTag);
  return {
    id,
    type: 'memory',
    status,
    enabled,
    tags: folded,
    readers: [],
    visibility,
    facets: [],
    memory,
    unit: CARD,
    kind: 'card',
  };
}

interface Place {
  readonly at: number;
  /** How many successors come before it at the same time. */
  readonly depth: number;
}

/** Newest first, but no memory before a successor, whenever that was learned. A chain goes on over rows that did not pass. */
function newestFirst(rows: readonly ViewRow[], all: readonly ViewRow[]): ViewRow[] {
  const isHistory = rows.some(({ memory }) => memory?.successor != null);
  const byId = new Map(isHistory ? all.map((row) => [row.id, row]) : []);
  const places = new Map<ViewRow, Place>();
  const successorOf = (row: ViewRow) => byId.get(row.memory?.successor ?? row.id);
  // A loop, not a recursion: a chain may have more versions than the stack has room for.
  const placeOf = (row: ViewRow): Place => {
    const chain: ViewRow[] = [];
    for (let at: ViewRow | undefined = row; at !== undefined && !places.has(at); at = successorOf(at)) {
      // Before its successor is looked at, so that a circle ends.
      places.set(at, { at: at.memory?.at ?? 0, depth: 0 });
      chain.push(at);
    }
    for (const one of chain.reverse()) {
      const successor = successorOf(one);
      const first = successor === undefined || successor === one ? undefined : places.get(successor);
      if (first === undefined || places.get(one)!.at < first.at) continue;
      places.set(one, { at: first.at, depth: first.depth + 1 });
    }
    return places.get(row)!;
  };
  const placed = rows.map((row) => ({ row, place: placeOf(row) }));
  placed.sort(({ row: a, place: left }, { row: b, place: right }) => {
    return right.at - left.at || left.depth - right.depth || (a.path < b.path ? -1 : 1);
  });
  return placed.map(({ row }) => row);
}
