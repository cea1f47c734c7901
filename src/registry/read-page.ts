import { z } from 'zod';
import type { Index } from '../engines/index-port.ts';
import type { Store, StoredEntity } from '../engines/store.ts';
import {
  cursorSchema,
  ENTITY_TYPES,
  type EntityId,
  type EntityType,
  STATUSES,
  splitEntityId,
} from '../model/entity.ts';
import { parseWith } from '../model/parse/parse.ts';
import { entityTypeSchema, textList, wholeNumber } from '../model/query/query-fields.ts';
import type { EntityPage } from './contract/answers.ts';
import { MAX_PAGE, type PageQuery, type ViewRow } from './contract/registry.ts';
import { matcher } from './operations/list.ts';
import type { EntityRows } from './view/entity-view.ts';
import { toRecord } from './view/scan-records.ts';
import { belowSuccessors, byId, cursorBehind, memoriesById, parseCursor, placeAfter } from './view/successor-order.ts';

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

/** One page of entities in id order, superseded memories below their successors. Errors use the names of the REST parameters. */
export async function readPage(parts: PageParts, { after, statuses, ...given }: PageQuery = {}): Promise<EntityPage> {
  const query = parseWith(pageSchema, { ...given, status: statuses, cursor: after }, 'page');
  const types: readonly EntityType[] = query.types === undefined ? ENTITY_TYPES : [...new Set(query.types)];
  const { tags, status, cursor, limit } = query;
  if ([tags, status, query.query].some((filter) => filter !== undefined)) return filteredPage(parts, types, query);
  const { byType } = await parts.index.stats(undefined, parts.readers);
  const memories = types.includes('memory') ? memoriesById(await parts.view.rows('memory')) : null;
  const asked = { types, limit };
  const found =
    memories === null
      ? await parts.store.scan({ ...asked, ...(cursor === undefined ? {} : { after: parseCursor(cursor).head }) })
      : await scanAround(parts.store, memories, { ...asked, cursor });
  return {
    entities: found.entities.map(toRecord),
    total_count: types.reduce((sum, type) => sum + (byType[type] ?? 0), 0),
    ...(found.cursor === undefined ? {} : { cursor: found.cursor }),
  };
}

interface Scan {
  readonly types: readonly EntityType[];
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** A scan whose memories have an order of their own: the types before them, the memories, the types behind them. */
async function scanAround(store: Store, memories: readonly ViewRow[], { types, limit, cursor }: Scan) {
  const found: StoredEntity[] = [];
  const type = cursor === undefined ? undefined : splitEntityId(cursor as EntityId).type;
  const from = cursor === undefined ? {} : { after: cursor };
  // One more says whether there is another page.
  const missing = () => limit + 1 - found.length;
  const scan = async (some: readonly EntityType[]) => {
    if (some.length === 0 || missing() === 0) return;
    found.push(...(await store.scan({ types: some, limit: missing(), ...from })).entities);
  };
  if (type === undefined || type < 'memory') await scan(types.filter((one) => one < 'memory'));
  if (type === undefined || type <= 'memory') {
    let at = type === 'memory' ? placeAfter(cursor!, memories, memories) : 0;
    // Again for those that were deleted since the rows were read: the types behind the memories must not take their place.
    while (at < memories.length && missing() > 0) {
      const some = memories.slice(at, at + missing());
      found.push(...(await store.getMany(some.map(({ id }) => id))));
      at += some.length;
    }
  }
  await scan(types.filter((one) => one > 'memory'));
  const entities = found.slice(0, limit);
  const last = entities.at(-1);
  const isLast = found.length <= limit || last === undefined;
  return { entities, cursor: isLast ? undefined : cursorBehind(last.id, memories) };
}

async function filteredPage(
  { store, view }: PageParts,
  types: readonly EntityType[],
  { status: statuses, cursor, limit, tags, query }: z.output<typeof pageSchema>,
): Promise<EntityPage> {
  const isWanted = matcher({ tags, statuses, query });
  const passing: ViewRow[] = [];
  for (const type of types) for (const row of await view.rows(type)) if (isWanted(row)) passing.push(row);
  passing.sort(byId);
  const memories = types.includes('memory') ? await view.rows('memory') : [];
  const rows = belowSuccessors(passing, memories, byId);
  const from = cursor === undefined ? 0 : placeAfter(cursor, rows, memories);
  const page = rows.slice(from, from + limit).map(({ id }) => id);
  const entities = (await store.getMany(page)).map(toRecord);
  const last = page.at(-1);
  const more = last !== undefined && from + limit < rows.length ? { cursor: cursorBehind(last, memories) } : {};
  return { entities, total_count: rows.length, ...more };
}
