import { afterEach, describe, expect, it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import type { Engine } from '../../src/engines/engine.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { type Caller, STRANGER } from '../../src/model/caller/caller.ts';
import type { SearchRequestInput } from '../../src/model/query/query.ts';
import type { LocalRegistry, Registry } from '../../src/registry/contract/registry.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { type EveryMethod, everyOf, outcomeOf } from '../support/registry-outcome.ts';
import { registryOver } from '../support/registry-over.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

const common = { description: 'Maps of rivers', tags: ['Maps'] };
const PUBLIC = [
  {
    type: 'mcp_server',
    path: '/atlas',
    name: 'Atlas',
    url: 'https://atlas.example',
    relations: [{ type: 'POPULAR_WITH', target: 'skill:/skills/map' }],
    tools: [{ name: 'find' }],
    ...common,
  },
  { type: 'a2a_agent', path: '/guide', name: 'Guide', skills: [{ id: 'walk', name: 'Walk' }], ...common },
  { type: 'skill', path: '/skills/map', name: 'map', body: 'Read the river map', ...common },
  { type: 'skill', path: '/skills/zoo', name: 'zoo', ...common },
];
/** In nothing but what is hidden: an answer that has it shows something of it. */
const SECRET = /secret|geheim/i;
const own = (more: object) => ({ ...common, tags: ['Maps', 'secret-tag'], ...more });
const hidden = { visibility: 'private', owner: 'ada' };
const HIDDEN = [
  own({
    type: 'mcp_server',
    path: '/secret',
    name: 'Secret',
    url: 'https://secret.example',
    relations: [{ type: 'REQUIRES', target: '/atlas' }],
    tools: [{ name: 'dig' }],
    ...hidden,
  }),
  own({ type: 'a2a_agent', path: '/geheim', name: 'Geheim', skills: [{ id: 'walk', name: 'Walk' }], ...hidden }),
  own({ type: 'skill', path: '/skills/a-secret', name: 'a-secret', body: 'Read the secret river map', ...hidden }),
  own({ type: 'skill', path: '/skills/nobodys-secret', name: 'nobodys-secret', visibility: 'private' }),
  own({
    type: 'skill',
    path: '/skills/our-secret',
    name: 'our-secret',
    visibility: 'group-restricted',
    allowed_groups: ['ops'],
  }),
  own({ type: 'document', path: 'secret.txt', name: 'secret.txt', body: 'The secret river', ...hidden }),
];
const source = (url: string) => ({ kind: 'mcp', locator: { url } });

const told = (request: SearchRequestInput) => (registry: Registry) => registry.search({ explain: true, ...request });

const ASKED: EveryMethod = {
  call: [(r) => r.call({ path: '/secret#dig' }), (r) => r.call(null)],
  checkCall: [(r) => r.checkCall({ path: '/secret#dig' })],
  preflight: [(r) => r.preflight(['/secret#dig'])],
  readResult: [(r) => r.readResult({ id: '00' })],
  upstreams: [(r) => r.upstreams()],
  stopUpstreams: [(r) => r.stopUpstreams()],
  search: [
    told({ query: 'maps of rivers', facets: ['entity_type', 'tags', 'visibility'] }),
    told({ query: 'secret', min_confidence: 0 }),
    told({ query: 'river #secret-tag' }),
    told({ tags: ['secret-tag'] }),
    told({ tags: ['maps'], offset: 0, drifted: true }),
    told({ query: 'river dig', entity_types: ['tool'] }),
    told({ query: 'maps of rivers', preset: 'recommend' }),
    async (r) => (await r.search({ query: 'maps of rivers', with_prerequisites: true })).prerequisites,
  ],
  get: [
    (r) => r.get('mcp_server', '/secret'),
    (r) => r.get('tool', '/secret#dig'),
    (r) => r.get('tool', '/secret#dug'),
    (r) => r.get('skill', 'our-secret'),
  ],
  page: [
    (r) => r.page(),
    (r) => r.page({ limit: 1 }),
    async (r) => r.page({ limit: 1, after: (await r.page({ types: ['skill'], limit: 1 })).cursor }),
    (r) => r.page({ types: ['document'] }),
    (r) => r.page({ tags: ['maps'], limit: 1 }),
    (r) => r.page({ query: 'secret', statuses: ['active'] }),
  ],
  all: [(r) => everyOf(r.all()), (r) => everyOf(r.all(['skill']))],
  list: [
    (r) => r.list({ type: 'skill' }),
    (r) => r.list({ type: 'skill', limit: 1 }),
    (r) => r.list({ type: 'skill', visibility: 'private' }),
    (r) => r.list({ type: 'skill', groups: ['ops'] }),
  ],
  recommend: [
    (r) => r.recommend({ query: 'maps of rivers', context: { language: 'go' } }),
    (r) => r.recommend({ query: 'secret' }),
    (r) => r.recommend({ query: 'maps of rivers', entity_types: ['mcp_server'] }),
  ],
  getStack: [(r) => r.getStack({ use_case: 'maps of rivers' })],
  compare: [
    (r) => r.compare({ entities: ['/atlas', '/skills/map'] }),
    (r) => r.compare({ entities: ['/atlas', '/secret'] }),
  ],
  compatible: [
    (r) => r.compatible({ a: '/atlas', b: '/skills/map' }),
    (r) => r.compatible({ a: '/atlas', b: '/skills/zoo' }),
    (r) => r.compatible({ a: '/atlas', b: '/secret' }),
  ],
  reportOutcome: [(r) => r.reportOutcome({ chosen_tool: '/secret', outcome: 'success' })],
  recommendRespond: [(r) => r.recommendRespond({ query_id: 'x', answers: {} })],
  relations: [
    (r) => r.relations('mcp_server', '/atlas'),
    (r) => r.relations('skill', '/skills/map'),
    (r) => r.relations('skill', '/skills/a-secret'),
  ],
  tags: [(r) => r.tags()],
  searchSkills: [(r) => r.searchSkills({ query: 'rivers' })],
  discoverAgents: [(r) => r.discoverAgents({ skills: ['walk'] })],
  rating: [(r) => r.rating('skill', '/skills/a-secret')],
  findDuplicates: [
    (r) => r.findDuplicates({ type: 'mcp_server', name: 'Secret', url: 'https://secret.example', path: '/secret' }),
    (r) => r.findDuplicates({ type: 'skill', name: 'secret', description: 'Maps of rivers' }),
  ],
  sources: [(r) => r.sources()],
  drift: [(r) => r.drift()],
  health: [(r) => r.health()],
  missingVectors: [(r) => r.missingVectors(), (r) => r.missingVectors({ limit: 1 })],
  staleVectors: [(r) => r.staleVectors(), (r) => r.staleVectors({ limit: 1 })],

  embedPending: [(r) => r.embedPending({ signal: AbortSignal.abort() })],

  // What writes finds nothing that is hidden either.
  delete: [(r) => r.delete('skill', '/skills/a-secret')],
  patch: [(r) => r.patch('skill', '/skills/a-secret', { name: 'x' })],
  rate: [(r) => r.rate('skill', '/skills/a-secret', { rating: 5 })],
  acceptDrift: [(r) => r.acceptDrift('mcp_server', '/secret')],
  review: [(r) => r.review('mcp_server', '/secret', { decision: 'blocked' })],
  cleanUpStaleVectors: [
    (r) => r.cleanUpStaleVectors({ paths: ['/secret', 'geheim'] }),
    (r) => r.cleanUpStaleVectors({ all: true }),
  ],
  reindex: [(r) => r.reindex({ paths: ['/secret', 'geheim'] }), (r) => r.reindex({ all: true })],
  putEdges: [
    // Why an edge was skipped says its name again.
    async (r) => (await r.putEdges({ edges: [{ source: '/atlas', target: '/secret', type: 'REQUIRES' }] })).skipped,
  ],
  deleteEdges: [(r) => r.deleteEdges({ provenance: 'import:api' })],
  put: [(r) => r.put({ type: 'memory', path: 'm', name: 'm', content: 'x' }, { vectors: 'later' })],
  putMany: [(r) => r.putMany([{ type: 'memory', path: 'm', name: 'm', content: 'y' }], { vectors: 'later' })],
  register: [(r) => r.register({ type: 'package', path: 'npm:p', name: 'p' })],
  observe: [(r) => r.observe({ source: source('https://new.example'), entities: [] })],
};
const METHODS = Object.keys(ASKED) as (keyof Registry)[];

const ENGINES: Readonly<Record<string, (embedder: WordEmbedder) => Promise<Engine>>> = {
  memory: async (embedder) => new MemoryEngine({ embedder }),
  embedded: async ({ id, dimensions }) => {
    const folder = temporaryFolder();
    cleanUps.push(folder.remove);
    return openEmbedded({ dir: folder.path, embedder: { id, dimensions } });
  },
};
let cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  cleanUps = [];
});

/** A registry with vectors, some that are missing and some that are stale, ratings, sources and drift. */
async function filled(open: (embedder: WordEmbedder) => Promise<Engine>, entities: readonly object[]) {
  const embedder = new WordEmbedder();
  const engine = await open(embedder);
  const registry = registryOver(engine, embedder);
  cleanUps.push(() => registry.close());
  await registry.putMany(entities);
  const old = { id: 'test/old/64', dimensions: 64 };
  await engine.vectors.build(old);
  const [vector] = await embedder.embed(['old'], { as: 'document' });
  const pending = await engine.vectors.missing(1000, undefined, old.id);
  const made = pending.map(({ unit, textHash }) => ({ unit, textHash, vector: vector! }));
  await engine.vectors.put(made, old.id);
  await engine.vectors.build({ id: embedder.id, dimensions: embedder.dimensions });
  for (const entity of entities as readonly { type: 'skill'; path: string; url?: string }[]) {
    await registry.rate(entity.type, entity.path, { rating: 5 });
    if (entity.type === 'skill') await registry.put({ ...entity, compatibility: 'later' }, { vectors: 'later' });
    if (entity.url === undefined) continue;
    for (const tools of [[{ name: 'dig' }], []]) {
      const seen = { ...entity, description: 'Maps of lakes', tools };
      await registry.observe({ source: source(entity.url), take_over: true, entities: [{ entity: seen }] });
    }
  }
  return registry;
}

async function outcomes(registry: LocalRegistry, caller: Caller): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const method of METHODS) {
    const all: unknown[] = [];
    for (const ask of ASKED[method]) all.push(await outcomeOf(registry.as(caller), ask));
    found[method] = all;
  }
  return found;
}

describe.each(Object.entries(ENGINES))('what a caller may not read, over the %s engine,', (_, open) => {
  it('is as good as not there, whatever is asked', async () => {
    const expected = await outcomes(await filled(open, PUBLIC), STRANGER);
    const registry = await filled(open, [...HIDDEN, ...PUBLIC]);
    expect(await outcomes(registry, STRANGER)).toEqual(expected);
  });

  it('is shown by no method', async () => {
    const found = await outcomes(await filled(open, [...PUBLIC, ...HIDDEN]), STRANGER);
    for (const method of METHODS) {
      const shown = (found[method] as { readonly answer?: unknown }[]).filter((outcome) => 'answer' in outcome);
      // What was asked for comes back in the answer, and in an error.
      const text = JSON.stringify(shown).replaceAll(
        /"not_found":\[[^\]]*\]|"query":"[^"]*"|Nothing has the tag[^"]*/g,
        '',
      );
      expect([method, SECRET.exec(text)?.[0]]).toEqual([method, undefined]);
    }
  });

  it('is there for those who may read it', async () => {
    const registry = await filled(open, [...PUBLIC, ...HIDDEN]);
    const asAda = registry.as({ readers: ['public', 'user:ada'] });
    expect((await asAda.get('mcp_server', '/secret')).entity.name).toBe('Secret');
    expect((await asAda.list({ type: 'skill' })).records.map(({ entity }) => entity.name)).toEqual([
      'a-secret',
      'map',
      'zoo',
    ]);
    expect(await asAda.tags()).toEqual([
      { tag: 'Maps', count: 8 },
      { tag: 'secret-tag', count: 4 },
    ]);
    expect((await asAda.sources()).length).toBe(2);
    expect((await asAda.drift()).map(({ path }) => path)).toEqual(['/atlas', '/secret']);
    const paths: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await asAda.page({ limit: 1, after });
      paths.push(...page.entities.map(({ entity }) => entity.path));
      if (page.cursor === undefined) break;
      after = page.cursor;
    }
    expect(paths).toEqual((await everyOf(asAda.all())).map(({ entity }) => entity.path));
    expect(paths).toHaveLength(PUBLIC.length + 4);
    const asOps = registry.as({ readers: ['group:ops'] });
    expect((await everyOf(asOps.all())).map(({ entity }) => entity.path)).toEqual(['/skills/our-secret']);
    expect((await asOps.search({ tags: ['maps'] })).results.map(({ path }) => path)).toEqual(['/skills/our-secret']);
    expect((await asOps.health()).index).toMatchObject({ entities: 1, by_type: { skill: 1 } });
    const counts = await Promise.all([registry, asOps].map(async (r) => (await r.reindex({ all: true })).entities));
    expect(counts).toEqual([PUBLIC.length + HIDDEN.length, 1]);
  });

  it('stays hidden from a caller without keys, and a caller without readers is refused', async () => {
    const registry = await filled(open, HIDDEN);
    expect(await everyOf(registry.as({ readers: [] }).all())).toEqual([]);
    const { warnings } = await registry.as({ readers: [] }).search({ query: 'river' });
    expect(warnings[0]).toBe('The registry is empty: there is nothing to find yet.');
    expect(() => registry.as({} as Caller)).toThrow("'readers' of the caller is missing");
  });

  it('is not replaced or deleted', async () => {
    const registry = await filled(open, HIDDEN);
    const asNobody = registry.as({ readers: ['public'] });
    const entity = { type: 'mcp_server', path: '/secret', name: 'Mine' } as const;
    const refused = { code: 'ALREADY_EXISTS', field: 'path' };
    await expect(asNobody.put(entity)).rejects.toMatchObject(refused);
    const inBatch = { ...refused, field: 'entities.1.path' };
    await expect(asNobody.putMany([{ ...entity, path: '/new' }, entity])).rejects.toMatchObject(inBatch);
    await expect(asNobody.delete('mcp_server', '/secret')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await registry.get('mcp_server', '/secret')).entity.name).toBe('Secret');
    await expect(registry.get('mcp_server', '/new')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await registry.as({ readers: ['user:ada'] }).put(entity)).toMatchObject({ created: false });
  });
});
