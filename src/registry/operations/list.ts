import type { Store } from '../../engines/store.ts';
import { ENTITY_TYPES, type EntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { foldTag, readerKeys } from '../../model/filter.ts';
import { showValue } from '../../model/parse.ts';
import { compareIds } from '../../search/retrieval/compare-ids.ts';
import type { EntityPage, PageQuery } from '../registry.ts';
import type { ListPage, ListQuery } from './entity-operations.ts';
import { type EntityView, folded, type ViewRow } from './entity-view.ts';
import { starsOf } from './ratings.ts';
import { toRecord } from './scan-records.ts';

/** Limits of the registry's list endpoints. */
const DEFAULT_LIST_LIMIT = 20;
export const MAX_LIST_LIMIT = 2000;

function matcher(query: Omit<ListQuery, 'type'>): (row: ViewRow) => boolean {
  const { statuses, enabled, visibility, groups, readers } = query;
  const needle = folded((query.query ?? '').trim());
  const tags = query.tags?.map(foldTag);
  return (row) => {
    if (statuses !== undefined && !statuses.includes(row.status)) return false;
    if (enabled !== undefined && row.is_enabled !== enabled) return false;
    if (visibility !== undefined && row.visibility !== visibility) return false;
    if (groups !== undefined && !groups.some((group) => row.allowed_groups.includes(group))) return false;
    if (readers !== undefined && !readerKeys(row).some((key) => readers.includes(key))) return false;
    if (tags !== undefined && !hasTags(row, tags)) return false;
    return needle === '' || (row.haystack === '' ? row.name : row.haystack).includes(needle);
  };
}

/** Whether something has all of these tags; `tags` are folded already. */
export function hasTags(row: Pick<ViewRow, 'tags'>, tags: readonly string[]): boolean {
  const own = row.tags.map(foldTag);
  return tags.every((tag) => own.includes(tag));
}

/** In order of name without case, then of id: the same page whoever asks, however often. */
export async function listEntities(store: Store, view: EntityView, query: ListQuery): Promise<ListPage> {
  const limit = wholeNumber('limit', query.limit ?? DEFAULT_LIST_LIMIT, 1, MAX_LIST_LIMIT);
  const offset = wholeNumber('offset', query.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
  const found = (await view.rows(query.type)).filter(matcher(query));
  const ids = found.slice(offset, offset + limit).map(({ id }) => id);
  const stored = await store.getMany(ids);
  const annotations = await store.annotationsOf(ids);
  return {
    records: stored.map((one) => ({ ...toRecord(one), num_stars: starsOf(annotations.get(one.id)) })),
    total_count: found.length,
    limit,
    offset,
    has_next: offset + ids.length < found.length,
  };
}

/** One page of what a filter leaves, of any type, in id order. */
export async function filteredPage(
  store: Store,
  view: EntityView,
  { types = ENTITY_TYPES, after, limit, ...filter }: PageQuery & { readonly limit: number },
): Promise<EntityPage> {
  const isWanted = matcher(filter);
  const ids: EntityId[] = [];
  for (const type of types) for (const row of await view.rows(type)) if (isWanted(row)) ids.push(row.id);
  ids.sort(compareIds);
  const from = after === undefined ? 0 : ids.filter((id) => compareIds(id, after) <= 0).length;
  const page = ids.slice(from, from + limit);
  const entities = (await store.getMany(page)).map(toRecord);
  const last = page.at(-1);
  const more = last !== undefined && from + limit < ids.length ? { cursor: last } : {};
  return { entities, total_count: ids.length, ...more };
}

export function wholeNumber(field: string, value: number, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new DowserError(
    'INVALID_REQUEST',
    `'${field}' is ${showValue(value)}: must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? ' up' : ` to ${max}`}.`,
    { field },
  );
}
