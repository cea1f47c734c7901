import type { Store } from '../../engines/store.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { foldTag } from '../../model/query/filter.ts';
import type { ListPage } from '../contract/answers.ts';
import { type ListQuery, listQuerySchema } from '../contract/entity-operations.ts';
import type { ViewRow } from '../contract/registry.ts';
import { byName, type EntityRows, folded } from '../view/entity-view.ts';
import { belowSuccessors } from '../view/successor-order.ts';
import { toRatedRecord } from './rated-record.ts';

/** The filters of a list. */
export function matcher(query: Omit<ListQuery, 'type'>): (row: ViewRow) => boolean {
  const { statuses, enabled, visibility, groups } = query;
  const needle = folded((query.query ?? '').trim());
  const tags = query.tags?.map(foldTag);
  return (row) => {
    if (statuses !== undefined && !statuses.includes(row.status)) return false;
    if (enabled !== undefined && row.is_enabled !== enabled) return false;
    if (visibility !== undefined && row.visibility !== visibility) return false;
    if (groups !== undefined && !groups.some((group) => row.allowed_groups.includes(group))) return false;
    if (tags !== undefined && !hasTags(row, tags)) return false;
    return needle === '' || (row.haystack === '' ? row.name : row.haystack).includes(needle);
  };
}

/** Whether an entity has all of these tags. `tags` are folded. */
export function hasTags(row: Pick<ViewRow, 'tags'>, tags: readonly string[]): boolean {
  const own = row.tags.map(foldTag);
  return tags.every((tag) => own.includes(tag));
}

/** Sorted by name, without case, then by id. A superseded memory is below its successors. */
export async function listEntities(store: Store, view: EntityRows, asked: ListQuery): Promise<ListPage> {
  const query = parseWith(listQuerySchema, asked, 'list');
  const { limit, offset } = query;
  const rows = await view.rows(query.type);
  const found = belowSuccessors(rows.filter(matcher(query)), rows, byName);
  const ids = found.slice(offset, offset + limit).map(({ id }) => id);
  const stored = await store.getMany(ids);
  const annotations = await store.annotationsOf(ids);
  return {
    records: stored.map((one) => toRatedRecord(one, annotations.get(one.id))),
    total_count: found.length,
    limit,
    offset,
    has_next: offset + ids.length < found.length,
  };
}
