import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRegistry } from '../../open.ts';
import type { ListQuery } from '../contract/entity-operations.ts';
import type { LocalRegistry, PageQuery } from '../contract/registry.ts';

let registry: LocalRegistry;
beforeAll(async () => {
  registry = await openRegistry({ engine: 'memory', embeddings_provider: 'off' });
  const server = (path: string, more: object) => ({ type: 'mcp_server', path, ...more });
  await registry.putMany([
    server('/1', { name: 'beta', description: 'Reads MAIL', tags: ['AWS'], status: 'beta' }),
    server('/2', { name: 'Alpha', description: 'sends mail', metadata: { team: { region: 'EU-West' } } }),
    server('/3', { name: 'alpha', is_enabled: false, tags: ['x', 'Y'], visibility: 'private', owner: 'ada' }),
    server('/4', { name: 'Ωmega', visibility: 'group-restricted', allowed_groups: ['eu', 'us'] }),
    { type: 'a2a_agent', path: '/5', name: 'Agent', skills: [{ name: 'Translate' }] },
    { type: 'document', path: 'note', name: 'A greeting', body: 'Hello' },
  ]);
});
afterAll(() => registry.close());

const paths = async (query: Omit<ListQuery, 'type'>, type: ListQuery['type'] = 'mcp_server') =>
  (await registry.list({ type, ...query })).records.map(({ entity }) => entity.path);

describe('a list', () => {
  it('is in order of name, then of path, and of one type only', async () => {
    expect(await paths({})).toEqual(['/2', '/3', '/1', '/4']);
  });

  it.each([
    ['aws', ['/1']],
    ['AWS', ['/1']],
    ['mail', ['/2', '/1']],
    ['  MAIL ', ['/2', '/1']],
    ['ds ma', ['/2', '/1']],
    ['ωMEGA', ['/4']],
    ['eu-west', ['/2']],
    ['team', ['/2']],
    ['mail reads', []],
    ['.*', []],
    ['', ['/2', '/3', '/1', '/4']],
  ])('finds %j by substring, whatever the case of either side', async (query, expected) => {
    expect(await paths({ query })).toEqual(expected);
  });

  it('looks at the names of the skills of agents', async () => {
    expect(await paths({ query: 'TRANSLATE' }, 'a2a_agent')).toEqual(['/5']);
  });

  it.each([
    [{ enabled: true }, ['/2', '/1', '/4']],
    [{ enabled: false }, ['/3']],
    [{ statuses: ['beta'] }, ['/1']],
    [{ tags: ['X', 'y'] }, ['/3']],
    [{ tags: ['x', 'z'] }, []],
    [{ visibility: 'private' }, ['/3']],
    [{ groups: ['us', 'moon'] }, ['/4']],
  ] as [Omit<ListQuery, 'type'>, string[]][])('keeps to %j', async (query, expected) => {
    expect(await paths(query)).toEqual(expected);
  });

  it('counts what is on all pages, and says whether there is another', async () => {
    const { records, ...page } = await registry.list({ type: 'mcp_server', limit: 3 });
    expect([records.length, page]).toEqual([3, { total_count: 4, limit: 3, offset: 0, has_next: true }]);
    const last = await registry.list({ type: 'mcp_server', limit: 3, offset: 3 });
    expect([last.records.length, last.total_count, last.has_next]).toEqual([1, 4, false]);
    const beyond = await registry.list({ type: 'mcp_server', offset: 99 });
    expect([beyond.records.length, beyond.total_count, beyond.has_next]).toEqual([0, 4, false]);
  });

  it('carries the mean of the ratings', async () => {
    await registry.rate('a2a_agent', '/5', { rating: 4 });
    const [record] = (await registry.list({ type: 'a2a_agent' })).records;
    expect(record?.num_stars).toBe(4);
  });

  it.each([
    [{}, ['/5', 'note', '/1', '/2', '/3', '/4'], 6],
    [{ statuses: ['active'] }, ['/5', 'note', '/2', '/3', '/4'], 5],
    [{ query: 'A' }, ['/5', 'note', '/1', '/2', '/3', '/4'], 6],
    [{ query: 'greet', types: ['document'] }, ['note'], 1],
    [{ query: 'mail', limit: 1 }, ['/1'], 2],
    [{ tags: ['Y'], types: ['mcp_server', 'skill'] }, ['/3'], 1],
    [{ tags: ['aws'], statuses: ['beta'], query: 'beta' }, ['/1'], 1],
    [{ tags: ['aws'], types: ['skill'] }, [], 0],
  ] as [PageQuery, string[], number][])(
    'is a page of every type in id order with %j, counted',
    async (query, expected, total) => {
      const { entities, total_count } = await registry.page(query);
      expect([entities.map(({ entity }) => entity.path), total_count]).toEqual([expected, total]);
    },
  );

  it('is paged by its cursor, filtered or not', async () => {
    for (const filter of [{}, { query: 'a' }]) {
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await registry.page({ ...filter, limit: 2, ...(after === undefined ? {} : { after }) });
        seen.push(...page.entities.map(({ entity }) => entity.path));
        after = page.cursor;
        if (after === undefined) break;
      }
      expect(seen).toEqual(['/5', 'note', '/1', '/2', '/3', '/4']);
    }
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 2001 }, 'limit'],
    [{ limit: 1.5 }, 'limit'],
    [{ offset: -1 }, 'offset'],
    [{ tag: 'x' }, 'tag'],
    [{ tags: 'x' as never }, 'tags'],
  ])('refuses %j', async (query, field) => {
    await expect(registry.list({ type: 'mcp_server', ...query })).rejects.toMatchObject({ field });
  });
});
