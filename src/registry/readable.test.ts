import { afterAll, beforeAll, expect, it } from 'vitest';
import { registryOver } from '../../test/support/registry-over.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import type { LocalRegistry, PageQuery } from './contract/registry.ts';

/** More than are read at once, and every second one is hidden. */
const ENTITIES = 1_200;
const pathOf = (n: number) => `/s${String(n).padStart(4, '0')}`;
const READABLE = Array.from({ length: ENTITIES / 2 }, (_, n) => pathOf(2 * n));

let registry: LocalRegistry;
beforeAll(async () => {
  registry = registryOver(new MemoryEngine({ embedder: null }));
  const servers = Array.from({ length: ENTITIES }, (_, n) => {
    const visibility = n % 2 === 0 ? 'public' : 'private';
    return { type: 'mcp_server', path: pathOf(n), name: `S${n}`, tags: ['all'], visibility, owner: 'key:other' };
  });
  for (let from = 0; from < ENTITIES; from += 600) await registry.putMany(servers.slice(from, from + 600));
});
afterAll(() => registry.close());

it.each<[string, PageQuery]>([
  ['300', { limit: 300 }],
  ['499, one less than are read at once', { limit: 499 }],
  ['500, as many as are read at once', { limit: 500 }],
  ['7', { limit: 7 }],
  ['300 with a filter', { limit: 300, tags: ['all'] }],
  ['300 of one type', { limit: 300, types: ['mcp_server'] }],
])('a restricted caller lists every readable entity once, in pages of %s', async (_, query) => {
  const caller = registry.as({ readers: ['public'] });
  const paths: string[] = [];
  for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
    const page = await caller.page({ ...query, ...(after === undefined ? {} : { after }) });
    // A short page, or a cursor that is not the last entity of it, would tell of hidden ones.
    if (page.cursor !== undefined) {
      expect(page.entities).toHaveLength(query.limit!);
      expect(page.cursor).toContain(page.entities.at(-1)!.entity.path);
    }
    paths.push(...page.entities.map(({ entity }) => entity.path));
    after = page.cursor;
  }
  expect(paths).toEqual(READABLE);
});

it('a restricted caller exports every readable entity once', async () => {
  const paths: string[] = [];
  for await (const { entity } of registry.as({ readers: ['public'] }).all()) paths.push(entity.path);
  expect(paths).toEqual(READABLE);
});
