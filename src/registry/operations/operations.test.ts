import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openedEmbedder } from '../../../test/support/opened-embedder.ts';
import { WordEmbedder } from '../../../test/support/word-embedder.ts';
import type { VirtualServer } from '../../model/entity.ts';
import { openRegistry } from '../../open.ts';
import type { LocalRegistry } from '../contract/registry.ts';
import { EXAMPLE_SOURCE } from '../notes/source-note.ts';

let embedder: WordEmbedder;
let registry: LocalRegistry;

beforeEach(async () => {
  embedder = new WordEmbedder([['weather', 'forecast', 'climate']]);
  registry = await openRegistry({ engine: 'memory' }, { embedder: openedEmbedder(embedder), background: false });
});
afterEach(() => registry.close());

const server = (path: string, more: object = {}) => ({ type: 'mcp_server', path, name: path.slice(1), ...more });
const found = async (query: string, more: object = {}) =>
  (await registry.search({ query, ...more })).results.map(({ path }) => path);

describe('register', () => {
  it('lets exactly one of ten at once have a path, where none may overwrite', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => registry.register(server('/x', { name: `n${i}` }), { overwrite: false })),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of tries) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'ALREADY_EXISTS', field: 'path' });
    }
  });

  it('takes the place of an example, also where it may not overwrite', async () => {
    const entity = server('/x', { is_enabled: false });
    await registry.observe({ source: EXAMPLE_SOURCE, entities: [{ entity }] });
    await registry.register(server('/x'), { overwrite: false });
    expect((await registry.get('mcp_server', '/x')).entity.is_enabled).toBe(true);
    await expect(registry.register(server('/x'), { overwrite: false })).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    });
  });

  it('keeps what was switched off and whose it is when it replaces', async () => {
    await registry.register(server('/x', { owner: 'ada' }));
    await registry.patch('mcp_server', '/x', { is_enabled: false });
    await registry.register(server('/x', { description: 'new' }));
    const { entity } = await registry.get('mcp_server', '/x');
    expect(entity).toMatchObject({ description: 'new', is_enabled: false, owner: 'ada' });
    await registry.register(server('/x', { is_enabled: true }));
    expect((await registry.get('mcp_server', '/x')).entity.is_enabled).toBe(true);
  });

  it.each(['group', 'group-restricted', 'GROUP-RESTRICTED'])('refuses %s without a group', async (visibility) => {
    await expect(registry.register(server('/x', { visibility }))).rejects.toMatchObject({ field: 'allowed_groups' });
    await registry.register(server('/x', { visibility, allowed_groups: ['eu'] }));
    await expect(registry.patch('mcp_server', '/x', { allowed_groups: [] })).rejects.toMatchObject({
      field: 'allowed_groups',
    });
  });
});

describe('patch and replace', () => {
  it('change some fields, set others back, and leave the rest', async () => {
    await registry.put(server('/x', { description: 'old', version: '1', tags: ['a'] }));
    await registry.patch('mcp_server', 'x', { description: 'new', version: null });
    const { entity } = await registry.get('mcp_server', '/x');
    expect(entity).toMatchObject({ description: 'new', tags: ['a'] });
    expect(entity.version).toBeUndefined();
    await registry.change('mcp_server', '/x', () => ({ name: 'other' }));
    expect((await registry.get('mcp_server', '/x')).entity).toMatchObject({ name: 'other', tags: [], description: '' });
  });

  it('lose no change of two that are made at once', async () => {
    await registry.put(server('/x'));
    await Promise.all([
      registry.patch('mcp_server', '/x', { description: 'said' }),
      registry.patch('mcp_server', '/x', { tags: ['told'] }),
    ]);
    expect((await registry.get('mcp_server', '/x')).entity).toMatchObject({ description: 'said', tags: ['told'] });
  });

  it('refuse another type or path, and what is not there', async () => {
    await registry.put(server('/x'));
    await expect(registry.patch('mcp_server', '/x', { path: '/y' })).rejects.toMatchObject({ field: 'path' });
    await expect(registry.patch('mcp_server', '/x', { type: 'skill' })).rejects.toMatchObject({ field: 'type' });
    await registry.patch('mcp_server', '/x', { path: 'x' });
    await expect(registry.patch('mcp_server', '/nope', {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(registry.change('mcp_server', '/nope', (entity) => entity)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('switch off and deprecate without embedding anything again', async () => {
    await registry.put(server('/x', { description: 'tells the weather', tools: [{ name: 'rain' }] }));
    const before = embedder.embedded.length;
    await registry.patch('mcp_server', '/x', { is_enabled: false });
    expect(embedder.embedded.length).toBe(before);
    expect(await found('weather')).toEqual([]);
    expect(await found('weather', { include_disabled: true })).toEqual(['/x']);
    const asked = embedder.embedded.length;
    await registry.patch('mcp_server', '/x', { is_enabled: true, status: 'deprecated' });
    expect(embedder.embedded.length).toBe(asked);
    expect(await found('weather')).toEqual([]);
    const { index } = await registry.health();
    expect([index.vectors, index.missing_vectors]).toEqual([2, 0]);
  });
});

describe('a virtual server', () => {
  const virtual = (more: object = {}) => ({
    type: 'virtual_server',
    path: '/virtual/v',
    name: 'Bundle',
    tool_mappings: [{ tool_name: 'rain', alias: 'wet', backend_server_path: '/sky' }],
    ...more,
  });
  const sky = (description: string) =>
    server('/sky', {
      tools: [{ name: 'rain', description, inputSchema: { properties: { zipcode: { type: 'string' } } } }],
    });
  const mappings = async () =>
    ((await registry.get('virtual_server', '/virtual/v')).entity as VirtualServer).tool_mappings;
  const only = { entity_types: ['virtual_server'] };

  it('is found by what the tool behind a mapping says, and by its parameters', async () => {
    await registry.put(sky('umbrella advice'));
    await registry.put(virtual());
    expect(await found('umbrella', only)).toEqual(['/virtual/v']);
    expect(await found('zipcode', { ...only, weights: { vector: 0, keyword: 1 } })).toEqual(['/virtual/v']);
  });

  it('follows its backend: when it comes later, when it changes, when it goes', async () => {
    const { warnings } = await registry.put(virtual());
    expect(warnings).toEqual(["Tool 'rain' is mapped to '/sky', which is not registered."]);
    const keyword = { ...only, weights: { vector: 0, keyword: 1 } };
    await registry.put(sky('umbrella advice'));
    expect(await found('umbrella', keyword)).toEqual(['/virtual/v']);
    await registry.put(sky('parasol advice'));
    expect([await found('umbrella', keyword), await found('parasol', keyword)]).toEqual([[], ['/virtual/v']]);
    expect((await registry.health()).index.missing_vectors).toBe(0);
    await registry.delete('mcp_server', '/sky');
    expect(await found('parasol', keyword)).toEqual([]);
    expect((await mappings())[0]).not.toHaveProperty('inherited');
  });

  it('is not written again by a change of its backend that says nothing new', async () => {
    await registry.put(sky('umbrella advice'));
    await registry.put(virtual());
    const { updated_at } = await registry.get('virtual_server', '/virtual/v');
    await new Promise((resolve) => setTimeout(resolve, 5));
    await registry.patch('mcp_server', '/sky', { description: 'new words' });
    expect((await registry.get('virtual_server', '/virtual/v')).updated_at).toBe(updated_at);
  });

  it('prefers its own words, and never believes a caller about those of others', async () => {
    await registry.put(sky('umbrella advice'));
    const [mapping] = virtual().tool_mappings;
    const tool_mappings = [
      { ...mapping, alias: 'a', description_override: 'own words' },
      { ...mapping, alias: 'b', inherited: { description: 'forged' } },
      { tool_name: 'snow', backend_server_path: 'sky', inherited: { description: 'forged' } },
    ];
    const { warnings } = await registry.put(virtual({ tool_mappings }));
    expect(warnings).toEqual(["Tool 'snow' is mapped to 'sky', which has no tool of that name."]);
    const texts = (await mappings()).map(({ inherited }) => inherited?.description);
    expect(texts).toEqual(['umbrella advice', 'umbrella advice', undefined]);
    const keyword = { ...only, weights: { vector: 0, keyword: 1 } };
    expect([await found('forged', keyword), await found('words', keyword)]).toEqual([[], ['/virtual/v']]);
  });

  it('inherits within one batch, in any order, and names the entity it warns about', async () => {
    const other = virtual({ path: '/virtual/w', tool_mappings: [{ tool_name: 't', backend_server_path: '/none' }] });
    const { created, warnings } = await registry.putMany([virtual(), sky('umbrella advice'), other]);
    expect(created).toBe(3);
    expect(warnings).toEqual(["entities.2: Tool 't' is mapped to '/none', which is not registered."]);
    expect((await mappings())[0]!.inherited?.description).toBe('umbrella advice');
  });
});

describe('ratings', () => {
  it('are one for each user, and their mean', async () => {
    await registry.put(server('/x'));
    expect(await registry.rating('mcp_server', '/x')).toEqual({ num_stars: 0, rating_details: [] });
    await registry.rate('mcp_server', '/x', { rating: 5, user: 'ada' });
    await registry.rate('mcp_server', '/x', { rating: 2 });
    await registry.rate('mcp_server', 'x', { rating: 3, user: 'ada' });
    expect(await registry.rating('mcp_server', '/x')).toEqual({
      num_stars: 2.5,
      rating_details: [
        { user: 'anonymous', rating: 2 },
        { user: 'ada', rating: 3 },
      ],
    });
  });

  it('keep the last hundred, none lost when all come at once', async () => {
    await registry.put(server('/x'));
    await Promise.all(
      Array.from({ length: 103 }, (_, i) => registry.rate('mcp_server', '/x', { rating: 1, user: `u${i}` })),
    );
    const { rating_details } = await registry.rating('mcp_server', '/x');
    expect([rating_details.length, rating_details[0]?.user, rating_details.at(-1)?.user]).toEqual([100, 'u3', 'u102']);
  });

  it('survive a new version and go with the entity', async () => {
    await registry.put(server('/x'));
    await registry.rate('mcp_server', '/x', { rating: 4 });
    await registry.put(server('/x', { description: 'new' }));
    expect((await registry.rating('mcp_server', '/x')).num_stars).toBe(4);
    await registry.delete('mcp_server', '/x');
    await expect(registry.rate('mcp_server', '/x', { rating: 4 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await registry.put(server('/x'));
    expect((await registry.rating('mcp_server', '/x')).num_stars).toBe(0);
  });

  it.each([
    [{ rating: 0 }, 'rating'],
    [{ rating: 6 }, 'rating'],
    [{ rating: 2.5 }, 'rating'],
    [{ rating: 3, user: ' ' }, 'user'],
    [{ rating: 3, user: 'u'.repeat(257) }, 'user'],
  ])('refuse %j', async (vote, field) => {
    await registry.put(server('/x'));
    await expect(registry.rate('mcp_server', '/x', vote)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field });
  });
});

describe('a put that keeps the lifecycle', () => {
  const stored = async () => {
    const { status, is_enabled, description } = (await registry.get('mcp_server', '/x')).entity;
    return { status, is_enabled, description };
  };
  const keep = { lifecycle: 'keep' } as const;

  it('leaves what somebody set, unless the entity states something else', async () => {
    await registry.putMany([server('/x', { status: 'beta' })], keep);
    await registry.patch('mcp_server', '/x', { status: 'deprecated', is_enabled: false });
    await registry.putMany([server('/x', { description: 'new' })], keep);
    expect(await stored()).toEqual({ status: 'deprecated', is_enabled: false, description: 'new' });
    await registry.put(server('/x', { is_enabled: true }), keep);
    expect(await stored()).toMatchObject({ status: 'deprecated', is_enabled: true });
    await registry.put(server('/x', { status: 'active' }), keep);
    expect(await stored()).toMatchObject({ status: 'active', is_enabled: true });
  });

  it('is asked for: any other put replaces all of it', async () => {
    await registry.put(server('/x', { status: 'draft', is_enabled: false }));
    await registry.put(server('/x'));
    expect(await stored()).toMatchObject({ status: 'active', is_enabled: true });
  });

  it('keeps nothing of an example', async () => {
    const entity = server('/x', { status: 'deprecated' });
    await registry.observe({ source: EXAMPLE_SOURCE, entities: [{ entity }] });
    await registry.put(server('/x'), keep);
    expect(await stored()).toMatchObject({ status: 'active' });
  });
});

describe('tags', () => {
  it('are each once, in the first spelling, counted and sorted', async () => {
    await registry.put(server('/b', { tags: ['AWS', 'zebra'] }));
    await registry.put(server('/a', { tags: ['Aws', ' Cloud ', 'AWS'] }));
    await registry.put({ type: 'skill', path: '/skills/s', name: 's', tags: ['cloud', 'CLOUD', '', 'Émile'] });
    expect(await registry.tags()).toEqual([
      { tag: 'Aws', count: 2 },
      { tag: 'Cloud', count: 2 },
      { tag: 'zebra', count: 1 },
      { tag: 'Émile', count: 1 },
    ]);
  });
});
