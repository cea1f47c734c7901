import { afterEach, describe, expect, it } from 'vitest';
import { accessServer } from '../../../test/support/access-server.ts';
import { calledRegistry } from '../../../test/support/called-registry.ts';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { createClient } from '../../client/client.ts';
import { parseSettings } from '../../config.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { serverLoad } from '../load/server-load.ts';
import { startServer } from '../server.ts';
import { METRICS } from './metric-table.ts';
import { ServerMetrics } from './server-metrics.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function start(overrides: Partial<LocalRegistry> = {}) {
  const registry = await memoryRegistry(overrides);
  const logger = { info() {}, warn() {}, error() {} };
  const server = await startServer({ registry, version: '1.2.3', logger, settings: parseSettings({ port: 0 }) });
  open.push(server);
  const ask = (path: string, init: RequestInit = {}) => fetch(server.url + path, init);
  const search = (body: object) =>
    ask('/api/search/semantic', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { ...server, registry, ask, search, metrics: async () => parsed(await (await ask('/metrics')).text()) };
}

/** By name with labels. */
function parsed(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

describe('GET /metrics', () => {
  it('has every metric of the table with its type and help, and those of the process', async () => {
    const { ask } = await start();
    const response = await ask('/metrics');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const text = await response.text();
    for (const [name, { type, help }] of Object.entries(METRICS)) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`);
    }
    for (const name of [
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
    ])
      expect(text).toMatch(new RegExp(`^${name} [\\d.e+-]+$`, 'm'));
    expect(text).toContain('dowser_info{version="1.2.3"} 1\n');
  });

  it('times calls of tools that were sent, by how they ended, and counts the others only', async () => {
    const { registry, redefine, close } = await calledRegistry();
    open.push({ close });
    const metrics = new ServerMetrics({ registry, load: serverLoad(parseSettings({})), version: '1' });
    for (const tool of ['echo', 'echo', 'refuse', 'crash_write', 'gone']) {
      // Its server is started, and no longer has the tool.
      if (tool === 'gone') await redefine([]);
      await registry.call({ path: `/bad#${tool === 'gone' ? 'echo' : tool}` }).catch(() => {});
    }
    const found = parsed(await metrics.text());
    const timed = [...found].filter(([name]) => name.startsWith('mcp_client_operation_duration_seconds_count'));
    const method = 'mcp_method_name="tools/call"';
    const count = (error: string) => `mcp_client_operation_duration_seconds_count{${method},error_type="${error}"}`;
    expect(Object.fromEntries(timed)).toEqual({
      [count('')]: 2,
      [count('PROTOCOL')]: 1,
      [count('OUTCOME_UNKNOWN')]: 1,
    });
    expect(found.get('dowser_calls_total{server="/bad",class="read",code="DRIFTED"}')).toBe(1);
    expect(found.get(`mcp_client_operation_duration_seconds_bucket{le="300",${method},error_type=""}`)).toBe(2);
  });

  it('counts searches by stage, preset and mode, whoever asks', async () => {
    const { search, metrics, registry } = await start();
    await registry.put({ type: 'skill', path: '/a', name: 'weather', description: 'forecast' });
    await search({ query: 'weather' });
    await search({ query: 'weather', preset: 'lexical' });
    await registry.as({ readers: ['public'] }).search({ query: 'forecast' });
    const found = await metrics();
    const labels = 'preset="hybrid",mode="lexical-only"';
    expect(found.get(`dowser_search_duration_seconds_count{${labels}}`)).toBe(2);
    for (const stage of ['plan', 'embed', 'retrieve', 'graph', 'rank', 'answer']) {
      expect([stage, found.get(`dowser_search_stage_duration_seconds_count{stage="${stage}",${labels}}`)]).toEqual([
        stage,
        2,
      ]);
    }
    expect(found.get('dowser_search_duration_seconds_count{preset="lexical",mode="lexical-only"}')).toBe(1);
  });

  it('has the times of requests, searches and their stages in seconds', async () => {
    let watcher: Parameters<LocalRegistry['watchSearches']>[0] | undefined;
    const registry = await memoryRegistry({
      watchSearches(given) {
        watcher = given;
        return () => {};
      },
    });
    open.push(registry);
    const load = serverLoad(parseSettings({}));
    const counted = new ServerMetrics({ registry, load, version: '1.2.3' });
    const steps = [
      { stage: 'plan', from: 60_000, until: 60_004 },
      { stage: 'rank', from: 60_004, until: 60_250 },
    ] as const;
    watcher!({
      preset: 'hybrid',
      mode: 'hybrid',
      steps,
      text: '',
      size: 10,
      outcome: 'found',
      isComplete: true,
      scoreLines: () => [],
    });
    counted.answered({ method: 'GET', route: '/api/entities', status: 200, ms: 30 });
    const found = parsed(await counted.text());
    const labels = 'preset="hybrid",mode="hybrid"';
    const stages = ['plan', 'rank'].map(
      (stage) => `dowser_search_stage_duration_seconds_sum{stage="${stage}",${labels}}`,
    );
    expect(stages.map((name) => found.get(name))).toEqual([0.004, 0.246]);
    expect(found.get(`dowser_search_duration_seconds_sum{${labels}}`)).toBe(0.25);
    expect(found.get(`dowser_search_duration_seconds_bucket{le="0.25",${labels}}`)).toBe(1);
    expect(found.get(`dowser_search_duration_seconds_bucket{le="0.1",${labels}}`)).toBe(0);
    expect(found.get('dowser_http_request_duration_seconds_sum{method="GET",route="/api/entities"}')).toBe(0.03);
  });

  it('counts requests by the template of their route', async () => {
    const { ask, metrics } = await start();
    await ask('/api/entities/skill/one');
    await ask('/api/entities/skill/two/three');
    await ask('/api/entities');
    const found = await metrics();
    const one = 'method="GET",route="/api/entities/{type}/{path*}"';
    expect(found.get(`dowser_http_requests_total{${one},status="404"}`)).toBe(2);
    expect(found.get(`dowser_http_request_duration_seconds_count{${one}}`)).toBe(2);
    expect(found.get('dowser_http_requests_total{method="GET",route="/api/entities",status="200"}')).toBe(1);
  });

  it('takes nothing of a request as a label', async () => {
    const { ask, search, metrics } = await start();
    await ask('/merger-plan?merger=merger', { method: 'PURGE', headers: { 'X-Request-Id': 'merger' } });
    await ask('/api/entities', { method: 'PROPFIND' });
    await ask('/ui/merger');
    await ask('/mcp/docs/merger', { method: 'POST' });
    await search({ query: 'merger', preset: 'merger' });
    await search({ query: 'merger', tags: ['merger'] });
    const before = await metrics();
    for (let i = 0; i < 20; i++) await ask(`/merger/${i}`);
    const found = await metrics();
    expect([...found.keys()].filter((key) => key.includes('merger'))).toEqual([]);
    expect(found.get('dowser_http_requests_total{method="other",route="other",status="404"}')).toBe(21);
    const counted = (metrics: ReadonlyMap<string, number>) =>
      [...metrics.keys()].filter((key) => key.startsWith('dowser_http_requests_total')).length;
    // The second reading has the first one.
    expect(counted(found)).toBe(counted(before) + 1);
  });

  it('says what is in the index, and how the model is', async () => {
    const { metrics, registry } = await start({
      embeddingCache: () => ({ query: { hits: 3, misses: 2 }, document: { hits: 1, misses: 0 } }),
    });
    await registry.put({ type: 'skill', path: '/a', name: 'a', description: 'x' });
    await metrics();
    const found = await metrics();
    expect([found.get('dowser_index_entities{type="skill"}'), found.get('dowser_index_entities{type="tool"}')]).toEqual(
      [1, 0],
    );
    expect(found.get('dowser_index_units')).toBe(1);
    expect([
      found.get('dowser_embedder_state{state="off"}'),
      found.get('dowser_embedder_state{state="ready"}'),
    ]).toEqual([1, 0]);
    expect(found.get('dowser_embedding_cache_hits_total{kind="query"}')).toBe(3);
    expect([found.get('dowser_requests_running'), found.get('dowser_replica_ready')]).toEqual([0, 1]);
  });

  it('is text for the client too', async () => {
    const { url } = await start();
    expect(await createClient({ baseUrl: url }).metrics()).toContain('dowser_info{version="1.2.3"} 1');
  });
});

describe('with access', () => {
  it('is for admins and keys of the scope metrics, which read nothing else', async () => {
    const server = await accessServer();
    open.push(server);
    const key = (name: 'read' | 'write' | 'admin' | 'metrics') => server.key({ name, scopes: [name] });
    const [reader, writer, admin, collector] = [key('read'), key('write'), key('admin'), key('metrics')];
    const status = async (path: string, given?: string) => (await server.ask('GET', path, { key: given })).status;
    expect(await status('/metrics')).toBe(401);
    expect([await status('/metrics', reader), await status('/metrics', writer)]).toEqual([403, 403]);
    expect([await status('/metrics', admin), await status('/metrics', collector)]).toEqual([200, 200]);
    expect([await status('/api/entities', collector), await status('/api/audit', collector)]).toEqual([403, 403]);
  });

  it('counts who was let in, and why others were not', async () => {
    const server = await accessServer();
    open.push(server);
    const collector = server.key({ name: 'collector', scopes: ['metrics'] });
    const reader = server.key({ name: 'reader' });
    await server.ask('GET', '/api/entities');
    await server.ask('GET', '/api/entities', { key: 'dwsr_wrong' });
    await server.ask('GET', '/api/entities', { key: reader });
    await server.ask('GET', '/api/entities/skill/none', { key: reader });
    await server.ask('GET', '/api/audit', { key: reader });
    await server.ask('GET', '/api/entities?token=x', { key: reader });
    await server.ask('GET', '/health');
    const found = parsed((await server.ask('GET', '/metrics', { key: collector })).text);
    const results = [...found].filter(([name]) => name.startsWith('dowser_auth_results_total'));
    expect(Object.fromEntries(results)).toEqual({
      'dowser_auth_results_total{result="missing_credentials"}': 1,
      'dowser_auth_results_total{result="invalid_credentials"}': 1,
      'dowser_auth_results_total{result="insufficient_scope"}': 1,
      'dowser_auth_results_total{result="accepted"}': 2,
    });
  });
});
