import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/support/memory-registry.ts';
import { createClient } from '../client/client.ts';
import { parseSettings } from '../config.ts';
import { type RunningServer, startServer } from './server.ts';

let server: RunningServer;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  const registry = await memoryRegistry();
  const skills = Array.from({ length: 7 }, (_, i) => ({ type: 'skill', path: `/skills/${i}`, name: `s${i}` }));
  await registry.putMany([...skills, { type: 'tool', path: 'hammer', name: 'hammer' }]);
  const logger = { info() {}, warn() {}, error() {} };
  server = await startServer({
    registry,
    version: '0',
    logger,
    settings: parseSettings({ port: 0, data_dir: 'unused' }),
  });
  client = createClient({ baseUrl: server.url });
});
afterAll(() => server.close());

describe('the list of entities', () => {
  it('has everything once, page by page, in order', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listEntities({ query: { limit: '3', ...(cursor === undefined ? {} : { cursor }) } });
      seen.push(...page.entities.map(({ entity }) => `${entity.type}:${entity.path}`));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([...[0, 1, 2, 3, 4, 5, 6].map((i) => `skill:/skills/${i}`), 'tool:hammer']);
  });

  it('has one type when it is asked for one', async () => {
    const { entities, cursor } = await client.listEntities({ query: { type: 'tool' } });
    expect([entities.length, cursor]).toEqual([1, undefined]);
  });

  it.each([
    ['limit=0', 'INVALID_REQUEST', 'limit'],
    ['limit=501', 'INVALID_REQUEST', 'limit'],
    ['limit=many', 'INVALID_REQUEST', 'limit'],
    ['cursor=', 'INVALID_REQUEST', 'cursor'],
    ['cursor=foo', 'INVALID_REQUEST', 'cursor'],
    ['cursor=gadget:x', 'INVALID_REQUEST', 'cursor'],
    ['cursor=skill:', 'INVALID_REQUEST', 'cursor'],
    ['cursor=skills', 'INVALID_REQUEST', 'cursor'],
    ['type=gadget', 'UNKNOWN_TYPE', 'type'],
  ])('is refused with ?%s', async (query, code, field) => {
    const response = await fetch(`${server.url}/api/entities?${query}`);
    const { error } = (await response.json()) as { error: { code: string; field: string } };
    expect([error.code, error.field]).toEqual([code, field]);
  });
});
