import { z } from 'zod';
import type { Index } from '../engines/index-port.ts';
import type { Store } from '../engines/store.ts';
import { cursorSchema, ENTITY_TYPES, type EntityId, type EntityType, STATUSES } from '../model/entity.ts';
import { parseWith } from '../model/parse.ts';
import { entityTypeSchema, textList, wholeNumber } from '../model/query-fields.ts';
import { compareIds } from '../search/retrieval/compare-ids.ts';
import type { EntityPage } from './answers.ts';
import type { EntityRows } from './operations/entity-view.ts';
import { matcher } from './operations/list.ts';
import { toRecord } from './operations/scan-records.ts';
import { MAX_PAGE, type PageQuery } from './registry.ts';

const pageSchema = z.object({
  types: z.array(entityTypeSchema).optional(),
  tags: textList.optional(),
  status: z.array(z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`)).optional(),
  query: z.string().max(512, 'must have at most 512 characters').optional(),
  cursor: cursorSchema.optional(),
  limit: wholeNumber(1, MAX_PAGE).default(100),
});

export interface PageParts {
  readonly store: Store;
  readonly index: Index;
  readonly view: EntityRows;
  readonly readers: readonly string[] | undefined;
}

/** One page of entities in id order. Errors use the names of the REST parameters. */
export async function readPage(parts: PageParts, { after, statuses, ...given }: PageQuery = {}): Promise<EntityPage> {
  const query = parseWith(pageSchema, { ...given, status: statuses, cursor: after }, 'page');
  const types: readonly EntityType[] = query.types === undefined ? ENTITY_TYPES : [...new Set(query.types)];
  const { tags, status, cursor, limit } = query;
  if ([tags, status, query.query].some((filter) => filter !== undefined)) return filteredPage(parts, types, query);
  const { byType } = await parts.index.stats(undefined, parts.readers);
  const found = await parts.store.scan({ types, limit, ...(cursor === undefined ? {} : { after: cursor }) });
  return {
    entities: found.entities.map(toRecord),
    total_count: types.reduce((sum, type) => sum + (byType[type] ?? 0), 0),
    ...(found.cursor === undefined ? {} : { cursor: found.cursor }),
  };
}

async function filteredPage(
  { store, view }: PageParts,
  types: readonly EntityType[],
  { status: statuses, cursor, limit, tags, query }: z.output<typeof pageSchema>,
): Promise<EntityPage> {
  const isWanted = matcher({ tags, statuses, query });
  const ids: EntityId[] = [];
  for (const type of types) for (const row of await view.rows(type)) if (isWanted(row)) ids.push(row.id);
  ids.sort(compareIds);
  const from = cursor === undefined ? 0 : ids.filter((id) => compareIds(id, cursor) <= 0).length;
  const page = ids.slice(from, from + limit);
  const entities = (await store.getMany(page)).map(toRecord);
  const last = page.at(-1);
  const more = last !== undefined && from + limit < ids.length ? { cursor: last } : {};
  return { entities, total_count: ids.length, ...more };
}
