import { describe, expect, it } from 'vitest';
import { registryOver } from '../../test/support/registry-over.ts';
import type { Index } from '../engines/index-port.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { Store, StoredEntity } from '../engines/store.ts';
import { type EntityId, type EntityType, entityId, splitEntityId } from '../model/entity.ts';
import type { PageQuery, ViewRow } from './contract/registry.ts';
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

describe('a superseded memory that is deleted between two pages', () => {
  const memory = (path: string, by?: string) => ({
    type: 'memory',
    path,
    content: `About ${path}`,
    tags: ['kept'],
    ...(by === undefined
      ? {}
      : { status: 'deprecated', superseded: { by, at: '2026-01-01T00:00:00.000Z', previous_status: 'active' } }),
  });
  /** `/z`, `/y` and `/x` are below `/a`. */
  const ALL = [memory('/a'), memory('/b'), memory('/c'), memory('/x', '/y'), memory('/y', '/z'), memory('/z', '/a')];

  /** The paths of all pages, if `deleted` goes away after the first one. */
  async function pathsWithout(deleted: readonly string[], query: PageQuery): Promise<readonly string[]> {
    const registry = registryOver(new MemoryEngine({ embedder: null }));
    await registry.putMany(ALL);
    const first = await registry.page(query);
    const paths = first.entities.map(({ entity }) => entity.path);
    for (const path of deleted) await registry.delete('memory', path);
    for (let after = first.cursor; after !== undefined; ) {
      const page = await registry.page({ ...query, after });
      paths.push(...page.entities.map(({ entity }) => entity.path));
      after = page.cursor;
    }
    await registry.close();
    return paths;
  }

  it.each([
    ['none', [], 2, '/a /z /y /x /b /c'],
    ['its oldest version', ['/x'], 4, '/a /z /y /x /z /y /b /c'],
    ['the version of the cursor', ['/z'], 2, '/a /z /b /c /y /x'],
    ['all versions', ['/x', '/y', '/z'], 2, '/a /z /b /c'],
    ['the successor', ['/a'], 1, '/a /b /c /z /y /x'],
    ['the whole group', ['/a', '/x', '/y', '/z'], 3, '/a /z /y /b /c'],
  ])('leaves out no other entity: %s', async (_, deleted, limit, expected) => {
    for (const query of [{ limit }, { limit, tags: ['kept'] }]) {
      expect((await pathsWithout(deleted, { ...query, types: ['memory'] })).join(' ')).toBe(expected);
    }
  });
});
