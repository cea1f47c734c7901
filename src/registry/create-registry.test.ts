import { afterEach, describe, expect, it } from 'vitest';
import { addUpError } from '../../test/support/add-up-error.ts';
import { server } from '../../test/support/named-entities.ts';
import { registryOver } from '../../test/support/registry-over.ts';
import { WordEmbedder } from '../../test/support/word-embedder.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { PRESETS } from '../search/plan/presets.ts';
import type { LocalRegistry } from './contract/registry.ts';
import type { RegistryParts } from './create-registry.ts';

const open: LocalRegistry[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((registry) => registry.close()));
});

const SYNONYMS = [
  ['mail', 'email', 'inbox'],
  ['weather', 'forecast', 'rain'],
];

function registryWith(embedder: WordEmbedder | null, options: Partial<RegistryParts> = {}): LocalRegistry {
  const registry = registryOver(new MemoryEngine({ embedder }), embedder, { background: true, ...options });
  open.push(registry);
  return registry;
}

const CATALOG = [
  server('/post', 'Reads the inbox.', {
    tags: ['Office', 'eu'],
    tools: [{ name: 'read_mail', description: 'Reads mail.' }],
  }),
  server('/sky', 'Tells the forecast.', {
    tags: ['office'],
    tools: [{ name: 'get_forecast', description: 'For a city.' }],
  }),
  server('/draft', 'Reads mail too.', { status: 'draft' }),
  server('/old', 'Reads mail as well.', { status: 'deprecated' }),
  server('/off', 'Reads mail also.', { is_enabled: false }),
  {
    type: 'skill',
    path: '/skills/letters',
    name: 'letters',
    description: 'Writes letters.',
    body: '# Style\nBe brief.',
  },
];

async function filled(
  embedder: WordEmbedder | null = new WordEmbedder(SYNONYMS),
  options: Partial<RegistryParts> = {},
) {
  const registry = registryWith(embedder, options);
  await registry.putMany(CATALOG);
  return registry;
}

const paths = async (registry: LocalRegistry, request: object) =>
  (await registry.search(request)).results.map(({ path }) => path);

describe('a registry', () => {
  it('finds by keyword and by meaning what was just added', async () => {
    const registry = await filled();
    expect((await paths(registry, { query: 'rain' }))[0]).toBe('/sky');
    expect((await paths(registry, { query: 'letters' }))[0]).toBe('/skills/letters');
  });

  it('shows the part of an entity that was found', async () => {
    const { results, tools } = await (await filled()).search({ query: 'get_forecast' });
    expect(results[0]).toMatchObject({ path: '/sky', matched_unit: { kind: 'tool', title: 'get_forecast' } });
    expect(tools[0]).toMatchObject({ tool_name: 'get_forecast', server_path: '/sky', path: '/sky#get_forecast' });
  });

  it('returns tools as results of their own when only tools are asked for', async () => {
    const { results } = await (await filled()).search({ query: 'mail', entity_types: ['tool'] });
    expect(results[0]).toMatchObject({
      entity_type: 'tool',
      path: '/post#read_mail',
      server_path: '/post',
      tool_name: 'read_mail',
    });
    expect(results.every(({ entity_type }) => entity_type === 'tool')).toBe(true);
  });

  it('takes a word behind # that is nobody’s tag for text, and says so; the registry’s own designs filter by it', async () => {
    const registry = await filled();
    const answer = await registry.search({ query: 'reads mail #nobodyHasThis' });
    expect(answer.results.map(({ path }) => path)).toContain('/post');
    expect(answer.warnings.join()).toContain("'#nobodyhasthis' was taken for text");
    expect((await registry.search({ query: 'reads mail #nobodyHasThis', preset: 'registry' })).results).toEqual([]);
    expect((await registry.search({ query: 'reads mail', tags: ['nobodyHasThis'] })).results).toEqual([]);
  });

  it.each([
    ['ST-1', {}, ['/post']],
    ['ST-2', { include_draft: true }, ['/draft', '/post']],
    ['ST-3', { include_disabled: true }, ['/off', '/post']],
    [
      'ST-4',
      { include_draft: true, include_deprecated: true, include_disabled: true },
      ['/draft', '/off', '/old', '/post'],
    ],
  ])('%s: shows drafts, deprecated and disabled entities only when asked', async (_, flags, expected) => {
    // The registry's older design shows three of a type, whatever there is.
    for (const preset of Object.keys(PRESETS).filter((name) => name !== 'registry-legacy')) {
      const found = await paths(await filled(), { query: 'reads mail', preset, ...flags, floor: 0 });
      expect(found.filter((path) => ['/draft', '/off', '/old', '/post'].includes(path)).sort()).toEqual(expected);
    }
  });

  it('TAG-1: takes hashtags and tags together, without case, and all of them', async () => {
    const registry = await filled();
    expect((await paths(registry, { query: '#OFFICE reads' })).sort()).toEqual(['/post', '/sky']);
    expect(await paths(registry, { query: '#office reads', tags: ['EU'] })).toEqual(['/post']);
  });

  it('API-3: finds everything with a tag when there is no query, and refuses neither', async () => {
    const registry = await filled();
    const { results } = await registry.search({ tags: ['office'] });
    expect(results.map(({ path, relevance_score }) => [path, relevance_score])).toEqual([
      ['/post', 1],
      ['/sky', 1],
    ]);
    await expect(registry.search({ query: '  ' })).rejects.toMatchObject({ code: 'EMPTY_SEARCH' });
  });

  it('finds tools by tag alone when tools are asked for', async () => {
    const registry = await filled();
    expect(await paths(registry, { tags: ['eu'], entity_types: ['tool'] })).toEqual(['/post#read_mail']);
  });

  it('warns of a type that does not exist and finds nothing for it', async () => {
    const { results, warnings } = await (await filled()).search({ query: 'mail', entity_types: ['robot'] });
    expect(results).toEqual([]);
    expect(warnings[0]).toContain("'robot'");
  });

  it('warns of a leg that does not exist, and ranks as without it', async () => {
    const registry = await filled();
    const asked = { query: 'reads mail', explain: true };
    const plain = await registry.search(asked);
    const { results, warnings } = await registry.search({ ...asked, weights: { kw: 7 } as object });
    expect(results).toEqual(plain.results);
    expect(warnings).toEqual(["A search has no field 'weights.kw'; it is ignored. Did you mean 'weights.keyword'?"]);
  });

  it('explains every result of every preset with parts that add up', async () => {
    const registry = await filled();
    for (const preset of Object.keys(PRESETS)) {
      const { results } = await registry.search({ query: 'reads mail', preset, explain: true });
      expect(results.length).toBeGreaterThan(0);
      for (const { explanation, relevance_score } of results) {
        expect(Math.abs(explanation!.value - relevance_score)).toBeLessThan(1e-9);
        expect(addUpError(explanation!)).toBeLessThan(1e-9);
      }
    }
  });

  it('says in an explanation which kind of part a leg found, also of namesakes', async () => {
    const registry = await filled(null);
    await registry.put(server('/kettle', 'For tea.', { tools: [{ name: 'kettle', description: 'Boils water.' }] }));
    const kinds = async (query: string) => {
      const { results } = await registry.search({ query, explain: true, preset: 'rrf' });
      const legs = JSON.stringify(results.find(({ path }) => path === '/kettle')?.explanation);
      return [...legs.matchAll(/"unit":"kettle","unit_kind":"(\w+)"/g)].map(([, kind]) => kind);
    };
    expect(await kinds('boils water')).toEqual(['tool']);
    expect(await kinds('for tea')).toEqual(['card']);
  });

  it('projects metadata only where it is asked for', async () => {
    const registry = registryWith(new WordEmbedder());
    await registry.put(server('/meta', 'Has metadata.', { metadata: { team: 'x', config: { region: 'eu' } } }));
    expect((await registry.search({ query: 'metadata' })).servers[0]?.metadata).toBeNull();
    const { servers } = await registry.search({ query: 'metadata', metadata_fields: 'config.region,nope' });
    expect(servers[0]?.metadata).toEqual({ config: { region: 'eu' } });
  });

  it('replaces, reads and deletes by path, with or without its leading slash', async () => {
    const registry = await filled();
    expect(await registry.put(server('/sky', 'Tells fortunes.'))).toMatchObject({ created: false, path: '/sky' });
    expect((await registry.get('mcp_server', 'sky')).entity.description).toBe('Tells fortunes.');
    await registry.delete('mcp_server', 'sky');
    await expect(registry.get('mcp_server', '/sky')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // And the other way round: it was stored without one.
    await registry.put(server('sea', 'Tells tides.'));
    expect((await registry.get('mcp_server', '/sea')).entity.path).toBe('sea');
    await registry.delete('mcp_server', '/sea');
    await expect(registry.get('mcp_server', 'sea')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await paths(registry, { query: 'fortunes', preset: 'keyword' })).toEqual([]);
  });

  it('stores nothing of a batch that names an entity twice or has a bad one', async () => {
    const registry = registryWith(new WordEmbedder());
    const twice = [server('/a', 'One.'), server('/a', 'Two.')];
    await expect(registry.putMany(twice)).rejects.toMatchObject({ code: 'DUPLICATE_PATH', field: 'entities.1.path' });
    const bad = [server('/a', 'One.'), { ...server('/b', 'Two.'), tags: 'x' }];
    await expect(registry.putMany(bad)).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'entities.1.tags' });
    expect((await registry.health()).index.entities).toBe(0);
  });

  it('gives every entity once when all are read', async () => {
    const seen: string[] = [];
    for await (const { entity } of (await filled()).all(['mcp_server'])) seen.push(entity.path);
    expect(seen).toEqual(['/draft', '/off', '/old', '/post', '/sky']);
  });
});

describe('a page of a registry', () => {
  it('begins after the page before, and nowhere else', async () => {
    const registry = await filled();
    const { entities, cursor = '' } = await registry.page({ limit: 2 });
    const rest = await registry.page({ after: cursor });
    expect([entities.length, rest.entities.length]).toEqual([2, CATALOG.length - 2]);
    for (const after of ['foo', 'gadget:/x', 'skill:', '']) {
      await expect(registry.page({ after })).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        field: 'cursor',
        message: `'cursor' of the page is ${JSON.stringify(after)}: must be the cursor of the previous page, unchanged.`,
      });
    }
  });
});

describe('a registry whose model fails', () => {
  it('answers a search by tags alone as ever: it needs no model', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const registry = await filled(embedder);
    const well = await registry.search({ tags: ['office'] });
    embedder.fail();
    for (const request of [{ tags: ['office'] }, { query: '#office' }]) {
      const { search_mode, warnings, results } = await registry.search(request);
      expect([search_mode, warnings, results.map(({ path }) => path)]).toEqual(['hybrid', [], ['/post', '/sky']]);
    }
    expect(well.search_mode).toBe('hybrid');
  });

  it('LEX-2: answers by keyword and says so', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const registry = await filled(embedder);
    embedder.fail();
    const answer = await registry.search({ query: 'mail' });
    expect(answer.search_mode).toBe('lexical-only');
    expect(answer.warnings.join()).toContain('EMBEDDER_UNAVAILABLE');
    expect(answer.results[0]).toMatchObject({ path: '/post', similarity_score: null });
    const literal = await registry.search({ query: 'mail', preset: 'registry' });
    expect(literal.results[0]?.relevance_score).toBeCloseTo(1 / 13.5, 4);
  });

  it('LEX-3: is hybrid again when the model is back', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const registry = await filled(embedder);
    embedder.fail();
    await registry.search({ query: 'mail' });
    embedder.recover();
    expect((await registry.search({ query: 'mail' })).search_mode).toBe('hybrid');
  });

  it('LEX-4: takes new entities meanwhile, and embeds them later', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const registry = await filled(embedder);
    embedder.fail();
    const put = await registry.put(server('/new', 'Umbrella advice for rain.'), { vectors: 'now' });
    expect(put.pending_vectors).toBe(1);
    expect((await registry.health()).status).toBe('degraded');
    expect(await paths(registry, { query: 'umbrella' })).toEqual(['/new']);
    embedder.recover();
    expect(await registry.embedPending()).toEqual({ embedded: 1, remaining: 0 });
    expect((await registry.health()).status).toBe('healthy');
    expect(await paths(registry, { query: 'forecast', preset: 'vector' })).toContain('/new');
  });

  it('LEX-1: finds nothing without tokens in the lexical preset', async () => {
    expect(await paths(await filled(), { query: 'AI', preset: 'lexical' })).toEqual([]);
  });

  it('answers by keyword whatever the model throws', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const registry = await filled(embedder);
    embedder.embed = () => Promise.reject(new TypeError('fetch failed'));
    expect(await registry.search({ query: 'mail' })).toMatchObject({ search_mode: 'lexical-only' });
  });

  it('keeps the numbers of the request in the fallback', async () => {
    const embedder = new WordEmbedder(SYNONYMS);
    const registry = await filled(embedder);
    embedder.fail();
    expect(await paths(registry, { query: 'mail', preset: 'registry', floor: 0.9 })).toEqual([]);
  });

  it('says so when there is nothing to find', async () => {
    expect((await registryWith(null).search({ query: 'x' })).warnings.join()).toContain('empty');
  });

  it('has no vector leg at all without a model, and is well', async () => {
    const registry = await filled(null);
    const { search_mode, warnings } = await registry.search({ query: 'mail' });
    expect([search_mode, warnings.length]).toEqual(['lexical-only', 1]);
    expect((await registry.health()).status).toBe('healthy');
    await expect(registry.embedPending()).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
  });
});

describe('one server with very many tools', () => {
  it.each(['hybrid', 'keyword', 'vector', 'rrf'])('does not hide the others in %s', async (preset) => {
    const registry = registryWith(new WordEmbedder());
    const tools = Array.from({ length: 150 }, (_, i) => ({ name: `github_${i}`, description: 'github github' }));
    const others = Array.from({ length: 5 }, (_, i) => server(`/other-${i}`, 'Something for github users.'));
    await registry.putMany([server('/big', 'github', { tools }), ...others]);
    await registry.embedPending();
    expect(await paths(registry, { query: 'github', preset, min_confidence: 0 })).toHaveLength(6);
  });
});

describe('a hundred better results that may not be seen', () => {
  it.each(Object.keys(PRESETS))('do not push out the three that may, in %s', async (preset) => {
    const registry = registryWith(new WordEmbedder());
    const hidden = Array.from({ length: 100 }, (_, i) =>
      server(`/hidden-mail-${i}`, 'mail mail mail', { is_enabled: false }),
    );
    const shown = Array.from({ length: 3 }, (_, i) => server(`/seen-${i}`, 'one mail among many other words'));
    await registry.putMany([...hidden, ...shown]);
    expect((await paths(registry, { query: 'mail', preset, floor: 0 })).sort()).toEqual([
      '/seen-0',
      '/seen-1',
      '/seen-2',
    ]);
  });
});
