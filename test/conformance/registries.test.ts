import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { remoteRegistry } from '../../src/client/remote-registry.ts';
import type { LocalRegistry, Registry } from '../../src/registry/contract/registry.ts';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { type EveryMethod, everyOf, outcomeOf } from '../support/registry-outcome.ts';
import { serveRegistry } from '../support/served-registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

const CLOCK = {
  type: 'mcp_server',
  path: '/clock',
  name: 'Clock',
  description: 'Tells the time',
  url: 'https://clock.example/mcp',
  tags: ['Time', 'a, b', 'a'],
  tools: [{ name: 'now', description: 'The time of day' }],
};
const ENTITIES = [
  CLOCK,
  { type: 'a2a_agent', path: '/guide', name: 'Guide', skills: [{ id: 'walk', name: 'Walk' }], owner: 'ada' },
  { type: 'skill', path: '/skills/pdf', name: 'pdf', description: 'Reads pages', visibility: 'private', owner: 'ada' },
  { type: 'skill', path: '/skills/zip', name: 'zip', visibility: 'group-restricted', allowed_groups: ['ops'] },
  { type: 'document', path: 'odd/rating', body: 'A path that ends like a route', name: 'odd' },
];
/** A caller with these keys may read everything. */
const KEYS = ['public', 'user:ada', 'group:ops'];

const bad = (value: unknown) => value as never;
const source = { kind: 'mcp', locator: { url: 'https://clock.example/mcp' } };

/** They work on the whole registry, which a caller with keys may not know. */
const FOR_ADMINS: readonly (keyof Registry)[] = ['embedPending', 'deleteEdges'];

/** In this order, on a registry of its own for each of those that are compared. */
const CALLS: EveryMethod = {
  call: [(r) => r.call({ path: '/clock#now' }), (r) => r.call(null)],
  checkCall: [(r) => r.checkCall({ path: '/clock#now' })],
  preflight: [(r) => r.preflight(['/clock#now'])],
  readResult: [(r) => r.readResult({ id: '00' })],
  upstreams: [(r) => r.upstreams()],
  stopUpstreams: [(r) => r.stopUpstreams()],
  search: [
    (r) => r.search({ query: 'time of day', explain: true, facets: ['tags'] }),
    (r) => r.search({ query: 'reads pages', entity_types: ['skill', 'gadget'], metadata_fields: 'team' }),
    (r) => r.search({ tags: ['time'], offset: 0 }),
    (r) => r.search({ query: 'time of day', preset: 'recommend', with_prerequisites: true }),
    (r) => r.search(bad({ query: '#nobodys tag', limit: 5 })),
    (r) => r.search({ query: ' ' }),
    (r) => r.search({ query: 'x', max_results: 51 }),
    (r) => r.search({ query: 'x', preset: 'hybrit' }),
    (r) => r.search({ query: 'x', weights: { keyword: 0, vector: 0 } }),
    (r) => r.search(bad(null)),
    (r) => r.search(bad(['x'])),
  ],
  put: [
    (r) => r.put({ type: 'memory', path: 'm1', name: 'm', content: 'Ada likes tea', mood: 'good' }),
    (r) => r.put({ type: 'memory', path: 'm1', name: 'm', content: 'Ada likes milk' }, { vectors: 'later' }),
    (r) => r.put({ type: 'memory', path: 'm1', name: 'm', content: 'Ada', is_enabled: false }, { lifecycle: 'keep' }),
    (r) => r.put({ type: 'memory', path: 'm1', name: 'm', content: 'Ada' }, { lifecycle: 'keep' }),
    (r) => r.get('memory', 'm1'),
    (r) => r.put({ type: 'tool', path: '/clock#now', name: 'now' }),
    (r) => r.put({ type: 'gadget', path: '/x', name: 'x' }),
    (r) => r.put({ type: 'skill', name: 'x' }),
    (r) => r.put({ type: 'skill', path: '/x', name: 7 }),
    (r) => r.put({ path: '/x' }),
    (r) => r.put(5),
    (r) => r.put(null),
  ],
  putMany: [
    (r) => r.putMany([CLOCK, { type: 'package', path: 'npm:a', name: 'a', odd: 1 }]),
    (r) => r.putMany([]),
    (r) => r.putMany([CLOCK, CLOCK]),
    (r) => r.putMany([CLOCK, { type: 'skill', path: '/x' }]),
    (r) => r.putMany([CLOCK, 5]),
    (r) => r.putMany(Array(1001).fill(CLOCK)),
  ],
  get: [
    (r) => r.get('mcp_server', 'clock'),
    (r) => r.get('document', 'odd/rating'),
    (r) => r.get('tool', '/clock#now'),
    (r) => r.get('tool', '/clock#nwo'),
    (r) => r.get('tool', '/clock'),
    (r) => r.get('skill', '/nope'),
    (r) => r.get(bad('gadget'), '/x'),
  ],
  delete: [
    (r) => r.delete('package', 'npm:a'),
    (r) => r.delete('package', 'npm:a'),
    (r) => r.delete('tool', '/clock#now'),
    (r) => r.delete(bad('gadget'), '/x'),
  ],
  page: [
    (r) => r.page(),
    async (r) => r.page({ types: ['skill', 'mcp_server'], limit: 1, after: (await r.page({ limit: 1 })).cursor }),
    (r) => r.page({ types: [] }),
    (r) => r.page({ types: ['skill', 'skill'], limit: 1 }),
    (r) => r.page({ tags: ['TIME', 'a'], query: 'clo', statuses: ['active', 'beta'] }),
    (r) => r.page({ tags: ['A, b'] }),
    (r) => r.page({ tags: ['a', 'b\\'] }),
    (r) => r.page({ query: 'i', limit: 1 }),
    (r) => r.page({ query: 'x'.repeat(513) }),
    (r) => r.page({ statuses: [bad('old')] }),
    (r) => r.page({ limit: 0 }),
    (r) => r.page({ limit: 501 }),
    (r) => r.page({ limit: 1.5 }),
    (r) => r.page({ after: 'nowhere' }),
    (r) => r.page({ types: [bad('gadget')] }),
  ],
  all: [(r) => everyOf(r.all()), (r) => everyOf(r.all(['document', 'skill'])), (r) => everyOf(r.all([bad('gadget')]))],
  register: [
    (r) => r.register({ type: 'skill', path: '/skills/tar', name: 'tar', is_enabled: false, owner: 'ada' }),
    (r) => r.register({ type: 'skill', path: '/skills/tar', name: 'tar' }, { overwrite: true }),
    (r) => r.get('skill', '/skills/tar'),
    (r) => r.register({ type: 'skill', path: '/skills/tar', name: 'tar' }, { overwrite: false }),
    (r) => r.register({ type: 'mcp_server', path: '/new', name: 'new', visibility: 'group' }),
    (r) => r.register({ type: 'skill' }),
    (r) => r.register('x'),
  ],
  patch: [
    (r) => r.patch('mcp_server', '/clock', { description: 'Tells what time it is', owner: null }),
    (r) => r.patch('mcp_server', '/clock', { path: '/other' }),
    (r) => r.patch('mcp_server', '/clock', { tags: 'x' }),
    (r) => r.patch('mcp_server', '/nope', {}),
    (r) => r.patch('mcp_server', '/clock', bad([1])),
  ],
  list: [
    (r) => r.list({ type: 'skill' }),
    (r) => r.list({ type: 'mcp_server', tags: ['a, b'], statuses: ['active'], enabled: true, limit: 1 }),
    (r) => r.list({ type: 'skill', groups: ['ops'], visibility: 'group-restricted', offset: 1 }),
    (r) => r.list({ type: 'skill', limit: 0 }),
    (r) => r.list({ type: bad('gadget') }),
    (r) => r.list(bad({ type: 'skill', tag: 'x' })),
    (r) => r.list(bad(null)),
  ],
  tags: [(r) => r.tags()],
  searchSkills: [
    (r) => r.searchSkills({ query: 'pdf' }),
    (r) => r.searchSkills({ query: 'a', tags: ['none, such'], include_draft: true }),
    (r) => r.searchSkills({ query: ' ' }),
    (r) => r.searchSkills(bad({ q: 'pdf' })),
  ],
  discoverAgents: [
    (r) => r.discoverAgents({ skills: ['walk', 'run, fast'] }),
    (r) => r.discoverAgents({ skills: [] }),
    (r) => r.discoverAgents({ skills: ['walk'], limit: 101 }),
    (r) => r.discoverAgents({ skills: bad('walk') }),
  ],
  rate: [
    (r) => r.rate('document', 'odd/rating', { rating: 4, user: 'ada' }),
    (r) => r.rate('document', 'odd/rating', { rating: 1 }),
    (r) => r.rate('skill', '/skills/pdf', { rating: 6 }),
    (r) => r.rate('skill', '/skills/pdf', { rating: 3, user: ' ' }),
    (r) => r.rate('skill', '/nope', { rating: 3 }),
    (r) => r.rate('skill', '/skills/pdf', bad(null)),
  ],
  rating: [
    (r) => r.rating('document', 'odd/rating'),
    (r) => r.rating('mcp_server', 'clock'),
    (r) => r.rating('mcp_server', '/nope'),
  ],
  findDuplicates: [
    (r) =>
      r.findDuplicates({ type: 'mcp_server', name: 'clock', url: 'https://clock.example/mcp/', description: null }),
    (r) => r.findDuplicates({ type: 'skill', name: 'reads pages', self_path: '/skills/zip' }),
    (r) => r.findDuplicates(bad({ type: 'skill' })),
    (r) => r.findDuplicates(bad({ name: 'x' })),
  ],
  observe: [
    (r) => r.observe({ source, live: true, entities: [{ part: 'a', entity: { ...CLOCK, path: '/seen' } }] }),
    (r) => r.observe({ source, entities: [{ part: 'a', entity: { ...CLOCK, path: '/seen', tools: [] } }] }),
    (r) => r.observe({ source, entities: [{ entity: { type: 'skill' } }], dry_run: true }),
    (r) => r.observe({ source: { kind: '', locator: {} } }),
    (r) => r.observe(bad(7)),
  ],
  sources: [(r) => r.sources()],
  drift: [(r) => r.drift()],
  acceptDrift: [
    (r) => r.acceptDrift('mcp_server', '/seen'),
    (r) => r.acceptDrift('mcp_server', '/seen'),
    (r) => r.acceptDrift('mcp_server', '/nope'),
  ],
  review: [
    (r) => r.review('mcp_server', '/clock', { decision: 'blocked', reason: 'sends too much' }),
    (r) => r.patch('mcp_server', '/clock', { is_enabled: true }),
    (r) => r.review('mcp_server', '/clock', { decision: 'approved' }),
    (r) => r.review('mcp_server', '/clock', { decision: 'maybe' as 'approved' }),
    (r) => r.review('mcp_server', '/nope', { decision: 'approved' }),
  ],
  embedPending: [(r) => r.embedPending()],
  putEdges: [
    (r) => r.putEdges({ edges: [{ source: '/clock', target: 'a2a_agent:/guide', type: 'popular with', weight: 3 }] }),
    (r) =>
      r.putEdges({
        provenance: 'import:odd.jsonl',
        edges: [
          { source: 'clock#now', target: 'guide', type: 'co_used_train', last_verified: '2020-01-01', confidence: 0.5 },
          { source: '/clock', target: '/nowhere', type: 'REQUIRES' },
          { source: '/clock', target: 'clock', type: 'REQUIRES' },
          { source: '/clock', target: '/guide', type: 'LOVES' },
          { source: '/clock', target: '/guide', type: 'REQUIRES', weight: -1 },
          7,
        ],
      }),
    (r) => r.putEdges({ edges: [], provenance: 'co_use' }),
    (r) => r.putEdges(bad({ edges: 'x' })),
    (r) => r.putEdges(bad(null)),
  ],
  recommend: [
    (r) => r.recommend({ query: 'tell the time of day' }),
    (r) =>
      r.recommend({ query: 'tell the time', context: { filters: { language: 'Go' } }, preset: 'recommend-legacy' }),
    (r) => r.recommend({ query: 'time', context: bad({ langage: 'Go' }) }),
    (r) => r.recommend({ query: ' ' }),
    (r) => r.recommend({ query: 'time', preset: bad('hybrid') }),
    (r) => r.recommend({ query: 'time', entity_types: [bad('gadget')] }),
  ],
  getStack: [
    (r) => r.getStack({ use_case: 'tell the time of day and walk with a guide' }),
    (r) => r.getStack({ use_case: 'x', sub_needs: ['time', { sub_need_type: 'guide', keyword_sentence: 'a walk' }] }),
    (r) => r.getStack({ use_case: ' ' }),
    (r) => r.getStack({ use_case: 'x', constraints: bad({ colour: 'red' }) }),
  ],
  compare: [
    (r) => r.compare({ entities: ['clock', 'a2a_agent:/guide'] }),
    (r) => r.compare({ entities: ['clock'] }),
    (r) => r.compare({ entities: ['clock', '/nope'] }),
  ],
  compatible: [
    (r) => r.compatible({ a: '/clock', b: '/guide' }),
    (r) => r.compatible({ a: '/clock#now', b: '/nope' }),
    (r) => r.compatible(bad({})),
  ],
  reportOutcome: [
    (r) => r.reportOutcome({ chosen_tool: '/clock', outcome: 'success', used_with: ['/guide', '/clock'] }),
    (r) => r.reportOutcome({ chosen_tool: '/clock#now', outcome: 'failure' }),
    (r) => r.reportOutcome({ chosen_tool: '/clock', outcome: 'replaced' }),
    (r) => r.reportOutcome({ chosen_tool: '/nope', outcome: 'pending' }),
    (r) => r.reportOutcome({ chosen_tool: '/clock', outcome: bad('great') }),
  ],
  recommendRespond: [
    async (r) => {
      const { query_id } = await r.recommend({ query: 'tell the time of day' });
      return r.recommendRespond({ query_id, answers: [{ dimension: 'language', value: 'Go' }], done: true });
    },
    (r) => r.recommendRespond({ query_id: 'nobody', answers: { language: 'Go' } }),
    (r) => r.recommendRespond(bad({})),
  ],
  relations: [
    (r) => r.relations('mcp_server', 'clock'),
    (r) => r.relations('a2a_agent', '/guide'),
    (r) => r.relations('tool', '/clock#now'),
    (r) => r.relations('tool', '/clock#nwo'),
    (r) => r.relations(bad('gadget'), '/x'),
  ],
  deleteEdges: [
    (r) => r.deleteEdges({ provenance: 'import:odd.jsonl' }),
    (r) => r.deleteEdges({ provenance: 'import:odd.jsonl' }),
    (r) => r.deleteEdges(bad({})),
  ],
  missingVectors: [(r) => r.missingVectors(), (r) => r.missingVectors({ limit: 0 })],
  staleVectors: [(r) => r.staleVectors({ limit: 5 }), (r) => r.staleVectors({ limit: 1001 })],
  cleanUpStaleVectors: [
    (r) => r.cleanUpStaleVectors({ paths: ['/clock', '/nope'] }),
    (r) => r.cleanUpStaleVectors({ all: true }),
    (r) => r.cleanUpStaleVectors({ paths: [] }),
    (r) => r.cleanUpStaleVectors(bad({})),
  ],
  reindex: [
    (r) => r.reindex({ paths: ['clock', 'skill:/skills/pdf', '/nope'] }),
    (r) => r.reindex({ all: true }),
    (r) => r.reindex(bad({ all: false })),
    (r) => r.reindex(bad(null)),
  ],
  // Only a server has a load.
  health: [async (r) => ({ ...(await r.health()), server: undefined })],
};
const METHODS = Object.keys(CALLS) as (keyof Registry)[];

type Outcomes = ReadonlyMap<keyof Registry, readonly unknown[]>;

/** Fills a registry of its own, asks it everything in one way, and closes it. */
async function ask(wayTo: (local: LocalRegistry, url: string) => Registry): Promise<Outcomes> {
  const { registry, url, close } = await serveRegistry({ embedder: openedEmbedder(new WordEmbedder()) });
  await registry.putMany(ENTITIES);
  const asked = wayTo(registry, url);
  const outcomes = new Map<keyof Registry, readonly unknown[]>();
  for (const method of METHODS) {
    const all: unknown[] = [];
    for (const call of CALLS[method]) all.push(await outcomeOf(asked, call));
    // What a method leaves to the background is over before the next one is asked.
    await registry.embedPending();
    outcomes.set(method, all);
  }
  await close();
  return outcomes;
}

describe('a registry', () => {
  let local: Outcomes;
  let scoped: Outcomes;
  let remote: Outcomes;
  beforeAll(async () => {
    local = await ask((registry) => registry);
    scoped = await ask((registry) => registry.as({ readers: KEYS }));
    remote = await ask((_, url) => remoteRegistry(createClient({ baseUrl: url })));
  });
  afterAll(() => {
    // Both kinds of outcome are compared: a table of mistakes alone would prove little.
    const all = [...local.values()].flat() as { readonly answer?: unknown }[];
    expect(all.filter((outcome) => 'answer' in outcome).length).toBeGreaterThan(40);
    expect(all.filter((outcome) => 'error' in outcome).length).toBeGreaterThan(40);
  });

  const shared = METHODS.filter((method) => !FOR_ADMINS.includes(method));
  it.each(shared)('answers %s the same for a caller who may read everything', (method) => {
    expect(scoped.get(method)).toEqual(local.get(method));
  });

  it.each(FOR_ADMINS)('leaves %s to admins', (method) => {
    const outcomes = scoped.get(method)!;
    expect(outcomes.length).toBeGreaterThan(0);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: { code: 'INSUFFICIENT_SCOPE' } });
  });

  it.each(METHODS)('answers %s the same over HTTP', (method) => {
    expect(remote.get(method)).toEqual(local.get(method));
  });
});
