import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { startServer } from '../../src/http/server.ts';
import { searchResponseSchema } from '../../src/model/answer/result.ts';
import { DowserError } from '../../src/model/errors/errors.ts';
import { searchRequestSchema } from '../../src/model/query/query.ts';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { registryOver } from '../support/registry-over.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { WordEmbedder } from '../support/word-embedder.ts';

const SEARCH = '/api/search/semantic';

const ENTITIES = [
  {
    type: 'mcp_server',
    path: '/post',
    name: 'Post',
    description: 'Reads mail.',
    tags: ['Office', 'eu'],
    tools: [{ name: 'read_mail', description: 'Reads mail.', inputSchema: { type: 'object' } }],
    metadata: { team: 'letters', config: { region: 'eu' } },
  },
  {
    type: 'mcp_server',
    path: '/courier',
    name: 'Courier',
    description: 'Carries mail.',
    tags: ['office'],
    tools: [{ name: 'carry_mail', description: 'Carries mail.' }],
  },
  { type: 'a2a_agent', path: '/clerk', name: 'Clerk', description: 'Answers mail.' },
];

let served: ServedRegistry;
beforeAll(async () => {
  served = await serveRegistry({ embedder: openedEmbedder(new WordEmbedder()) });
  await served.registry.putMany(ENTITIES);
});
afterAll(() => served.close());

const ask = (body: unknown) => served.send('POST', SEARCH, body);

describe('POST /api/search/semantic', () => {
  it.each([
    [{ query: 'x', max_results: 0 }, 'max_results'],
    [{ query: 'x', max_results: 51 }, 'max_results'],
    [{ query: 'x', max_results: '5' }, 'max_results'],
    [{ query: 'x', tags: 'office' }, 'tags'],
    [{ query: 'x', entity_types: [1] }, 'entity_types.0'],
    [{ query: 'x', include_draft: 'yes' }, 'include_draft'],
    [{ query: 'x', weights: { keyword: -1 } }, 'weights.keyword'],
    [{ query: 'x', rrf_k: 0 }, 'rrf_k'],
    [{ query: 'x', soft_cap: 2 }, 'soft_cap'],
    [{ query: 'x', floor: -0.1 }, 'floor'],
    [{ query: 'x', min_confidence: 1.1 }, 'min_confidence'],
    [{ query: 'x', offset: -1 }, 'offset'],
    [{ query: 'x', facets: ['color'] }, 'facets.0'],
    [{ query: 'x', metadata_fields: 'a..b' }, 'metadata_fields'],
    [{ query: 'x', preset: 'best' }, 'preset'],
  ])('API-1: refuses %j with 422, and names the field', async (body, field) => {
    const { status, error } = await ask(body);
    expect([status, error?.field]).toEqual([422, field]);
    expect(error?.hint).not.toBe('');
  });

  it.each([
    ['a default search', 8192, undefined],
    ['the registry preset', 512, 'registry'],
    ['the lexical preset', 512, 'lexical'],
  ])('API-1: refuses a longer query than %s takes', async (_, max, preset) => {
    const { status, error } = await ask({ query: 'x'.repeat(max + 1), preset });
    expect([status, error?.field]).toEqual([422, 'query']);
    expect(error?.message).toContain(`at most ${max}`);
  });

  it('API-1: takes the longest query and the most results', async () => {
    expect((await ask({ query: 'x'.repeat(8192), max_results: 50 })).status).toBe(200);
    expect((await ask({ query: 'x'.repeat(512), preset: 'registry' })).status).toBe(200);
    expect((await ask({ query: '🦉'.repeat(256), max_results: 1 })).status).toBe(200);
  });

  it('API-2: asks for ten of everything that is in use, by default', () => {
    expect(searchRequestSchema.parse({})).toEqual({
      query: '',
      entity_types: null,
      tags: null,
      max_results: 10,
      include_draft: false,
      include_deprecated: false,
      include_disabled: false,
      metadata_fields: null,
      explain: false,
      drifted: false,
      with_prerequisites: false,
    });
  });

  it('API-3: takes tags without a query, and refuses neither with 400', async () => {
    const { json } = await ask({ query: '', tags: ['OFFICE'] });
    expect(json.servers.map(({ path, relevance_score }: never) => [path, relevance_score])).toEqual([
      ['/courier', 1],
      ['/post', 1],
    ]);
    for (const body of [{}, { query: '  ' }, { query: '', tags: [] }, { query: '#' }]) {
      const { status, error } = await ask(body);
      const empty = body.query === '#' ? [200, undefined] : [400, 'EMPTY_SEARCH'];
      expect([status, error?.code]).toEqual(empty);
    }
  });

  it('API-3: says which field was meant where a misspelled one leaves nothing to search for', async () => {
    for (const [given, meant] of [
      ['qury', 'query'],
      ['q', 'query'],
      ['tag', 'tags'],
    ] as const) {
      expect(await ask({ [given]: 'coffee' })).toMatchObject({
        status: 400,
        error: {
          code: 'EMPTY_SEARCH',
          field: given,
          hint: `It has no field '${given}'. Did you mean '${meant}'?`,
          details: { did_you_mean: meant },
        },
      });
    }
    expect((await ask({ limit: 3, mood: 'good' })).error).toMatchObject({ field: 'query', code: 'EMPTY_SEARCH' });
  });

  it('API-4: gives the query back as it came, trimmed', async () => {
    expect((await ask({ query: '  test query  ' })).json.query).toBe('test query');
    expect((await ask({ query: ' #Office mail ' })).json.query).toBe('#Office mail');
  });

  it('API-5: takes a type that is not built in, and says that nothing is found for it', async () => {
    const { status, json } = await ask({ query: 'mail', entity_types: ['robot', 'a2a_agent'] });
    expect([status, json.results.length, json.agents[0].path]).toEqual([200, 1, '/clerk']);
    expect(json.warnings.join()).toContain("'robot'");
  });

  it('API-8: has scores from 0 to 1 and cosines from -1 to 1 or null, and nothing else', async () => {
    const { json } = await ask({ query: 'mail' });
    const answer = searchResponseSchema.parse(json);
    const withScores = (change: object) => ({ ...answer, results: [{ ...answer.results[0], ...change }] });
    for (const relevance_score of [-0.01, 1.01, null, '1']) {
      expect(searchResponseSchema.safeParse(withScores({ relevance_score })).success).toBe(false);
    }
    for (const similarity_score of [-0.83, 1, null]) {
      expect(searchResponseSchema.safeParse(withScores({ similarity_score })).success).toBe(true);
    }
    expect(searchResponseSchema.safeParse(withScores({ similarity_score: 1.2 })).success).toBe(false);
    expect(searchResponseSchema.safeParse(withScores({ confidence: 2 })).success).toBe(false);
  });

  it('TAG-1: takes hashtags out of the query and wants all tags, without case', async () => {
    const { json } = await ask({ query: '#OFFICE mail', tags: ['EU'] });
    expect(json.results.map(({ path }: { path: string }) => path)).toEqual(['/post']);
  });

  it('TAG-2: finds a tool by the tags of its server, and no other', async () => {
    for (const preset of ['hybrid', 'registry', 'lexical']) {
      const { json } = await ask({ query: 'mail', tags: ['eu'], preset, floor: 0 });
      expect(json.tools.map(({ tool_name }: { tool_name: string }) => tool_name)).toEqual(['read_mail']);
    }
    const { json } = await ask({ query: 'mail #eu', entity_types: ['tool'] });
    expect(json.results.map(({ path }: { path: string }) => path)).toEqual(['/post#read_mail']);
  });

  it('MD-1: returns the metadata that was asked for: null without, {} where there is none of it', async () => {
    const metadataOf = async (metadata_fields: string | null) =>
      (await ask({ query: '#eu', metadata_fields })).json.servers[0].metadata;
    expect(await metadataOf('config,config.region')).toEqual({ config: { region: 'eu' } });
    expect(await metadataOf('team,nope')).toEqual({ team: 'letters' });
    expect(await metadataOf('nope')).toEqual({});
    expect(await metadataOf(null)).toBeNull();
    for (const bad of [Array.from({ length: 21 }, (_, i) => `k${i}`).join(), 'a.b.c.d.e.f', 'x'.repeat(65), '$x']) {
      const { status, error } = await ask({ query: 'mail', metadata_fields: bad });
      expect([status, error?.field]).toEqual([422, 'metadata_fields']);
    }
  });

  it('has the registry’s groups and totals, and the schema of a tool only in the list of tools', async () => {
    const { json } = await ask({ query: 'mail' });
    for (const group of ['servers', 'tools', 'agents', 'skills', 'virtual_servers', 'custom']) {
      expect(json[`total_${group}`]).toBe(json[group].length);
    }
    const post = json.servers.find(({ path }: { path: string }) => path === '/post');
    expect(post).toMatchObject({ server_name: 'Post', num_tools: 1, is_enabled: true });
    expect(post.matching_tools[0]).toMatchObject({ tool_name: 'read_mail', inputSchema: null });
    const tool = json.tools.find(({ tool_name }: { tool_name: string }) => tool_name === 'read_mail');
    expect(tool).toMatchObject({ server_path: '/post', server_name: 'Post', inputSchema: { type: 'object' } });
    expect(json.agents[0].agent_card).toMatchObject({ name: 'Clerk' });
  });
});

describe('a field that a search does not have', () => {
  it.each([
    ['limit', 'max_results'],
    ['topk', 'max_results'],
    ['top_k', 'max_results'],
    ['maxResults', 'max_results'],
    ['max_result', 'max_results'],
    ['entity_type', 'entity_types'],
    ['types', 'entity_types'],
    ['include_drafts', 'include_draft'],
    ['q', 'query'],
    ['min_score', 'min_confidence'],
    ['color', null],
    ['', null],
  ])('is named in the warnings: %j, for %j', async (field, meant) => {
    const { status, json } = await ask({ query: 'mail', [field]: 3 });
    expect([status, json.results.length, json.warnings.length]).toEqual([200, 3, 1]);
    expect(json.warnings[0]).toContain(`no field '${field}'`);
    if (meant === null) expect(json.warnings[0]).not.toContain('mean');
    else expect(json.warnings[0]).toContain(`'${meant}'`);
  });

  it('is one sentence each for a few of them, and a count for the rest', async () => {
    const fields = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field_${i}_${'x'.repeat(200)}\n`, i]));
    const { json } = await ask({ query: 'mail', ...fields });
    expect(json.warnings).toHaveLength(6);
    expect(json.warnings[5]).toContain('495');
    for (const warning of json.warnings) {
      expect(warning.length).toBeLessThan(200);
      expect(warning).not.toContain('\n');
    }
  });

  it('changes nothing else of the answer, and a field that there is warns of nothing', async () => {
    const plain = (await ask({ query: 'mail', max_results: 2 })).json;
    expect(plain.warnings).toEqual([]);
    const { json } = await ask({ query: 'mail', max_results: 2, limit: 1 });
    expect({ ...json, warnings: [] }).toEqual(plain);
    const proto = await served.ask('POST', SEARCH, {
      headers: { 'Content-Type': 'application/json' },
      body: '{"query":"mail","max_results":2,"__proto__":{"x":1},"constructor":1,"toString":2}',
    });
    expect({ ...proto.json, warnings: [] }).toEqual(plain);
  });
});

/** An engine that breaks in the middle of a search. */
class BrokenEngine extends MemoryEngine {
  trouble: Error | null = null;
  /** Ids that are gone when their entities are read. */
  readonly gone = new Set<string>();

  constructor() {
    super({ embedder: null });
    const retrieve = this.index.retrieve.bind(this.index);
    this.index.retrieve = async (query) => {
      if (this.trouble !== null) throw this.trouble;
      return retrieve(query);
    };
    const getMany = this.store.getMany.bind(this.store);
    this.store.getMany = async (ids) => (await getMany(ids)).filter(({ id }) => !this.gone.has(id));
  }
}

describe('an engine in trouble', () => {
  const engine = new BrokenEngine();
  const lines: object[] = [];
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const registry = registryOver(engine);
    await registry.putMany(ENTITIES);
    const settings = parseSettings({ engine: 'memory', port: 0 });
    const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) };
    ({ url, close } = await startServer({ registry, version: '0', logger, settings }));
  });
  afterAll(() => close());

  const post = async (path: string, body: unknown) => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    return { status: response.status, text, json: JSON.parse(text) };
  };

  it('API-6: answers 503 with a code and without the inside of the trouble, and logs it', async () => {
    engine.trouble = new Error('socket 10.0.0.7 hung up');
    for (const [path, more] of [
      [SEARCH, {}],
      ['/api/search/tools', { format: 'anthropic' }],
    ] as const) {
      const { status, text, json } = await post(path, { query: 'mail', ...more });
      expect([status, json.error.code]).toEqual([503, 'ENGINE_UNAVAILABLE']);
      expect(json.error.hint).not.toBe('');
      expect(text).not.toContain('10.0.0.7');
    }
    const { err } = lines[0] as { err: DowserError };
    expect(String(err.cause)).toContain('10.0.0.7');
  });

  it('API-6: says what an engine says of a bad request', async () => {
    engine.trouble = new DowserError('INVALID_REQUEST', "'query' is in a language that this engine cannot read.");
    const { status, json } = await post(SEARCH, { query: 'mail' });
    expect([status, json.error.message]).toEqual([422, expect.stringContaining('language')]);
  });

  it('API-6: is well again with the next request', async () => {
    engine.trouble = null;
    expect((await post(SEARCH, { query: 'mail' })).json.results).toHaveLength(3);
  });

  it('API-7: leaves out what was deleted while the answer was written', async () => {
    engine.gone.add('a2a_agent:/clerk');
    const { status, json } = await post(SEARCH, { query: 'mail', explain: true });
    expect(status).toBe(200);
    expect(json.agents).toEqual([]);
    expect(json.results.map(({ path, name }: never) => [path, name]).sort()).toEqual([
      ['/courier', 'Courier'],
      ['/post', 'Post'],
    ]);
    engine.gone.clear();
  });
});
