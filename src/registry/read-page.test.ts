import { expect, it } from 'vitest';
import type { Index } from '../engines/index-port.ts';
import type { Store, StoredEntity } from '../engines/store.ts';
import { type EntityId, type EntityType, entityId, splitEntityId } from '../model/entity.ts';
import type { ViewRow } from './operations/entity-view.ts';
import { type PageParts, readPage } from './read-page.ts';

const stored = (id: EntityId): StoredEntity => {
  const { type, path } = splitEntityId(id);
  return { id, entity: { type, path } as StoredEntity['entity'], createdAt: '', updatedAt: '' };
};

/** Memories whose rows are known, some of them deleted meanwhile, and a skill behind them. */
function parts(paths: readonly string[], deleted: readonly string[]): PageParts {
  const rows = paths.map((path, at) => {
    const successor = at === 1 ? entityId('memory', paths[0]!) : null;
    return { id: entityId('memory', path), path, memory: { successor } } as ViewRow;
  });
  const store = {
    getMany: async (ids: readonly EntityId[]) =>
      ids.filter((id) => !deleted.includes(splitEntityId(id).path)).map(stored),
    scan: async ({ types }: { readonly types: readonly EntityType[] }) => ({
      entities: types.includes('skill') ? [stored(entityId('skill', '/s'))] : [],
    }),
  };
  return {
    store: store as unknown as Store,
    index: { stats: async () => ({ byType: {} }) } as unknown as Index,
    view: { rows: async () => rows },
    readers: undefined,
  };
}

it('goes on behind memories that are deleted while a page is read', async () => {
  const some = parts(['/a', '/b', '/c', '/d', '/e'], ['/b', '/c']);
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage(some, { types: ['memory', 'skill'], limit: 2, ...(cursor && { after: cursor }) });
    pages.push(page.entities.map(({ entity }) => entity.path));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(pages).toEqual([
    ['/a', '/d'],
    ['/e', '/s'],
  ]);
});
