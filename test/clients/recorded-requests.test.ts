import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWith } from '../../src/model/parse/parse.ts';
import { openedEmbedder } from '../support/opened-embedder.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { faultsOf } from '../support/standard-schemas.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { MODELS } from './client-models.ts';
import { CLIENT_ROWS } from './client-rows.ts';
import { RECORDED, type RecordedRequest } from './recorded-requests.ts';

let served: ServedRegistry;
beforeAll(async () => {
  served = await serveRegistry({ embedder: openedEmbedder(new WordEmbedder()) });
});
afterAll(() => served.close());

function ask({ method, path, form, json }: RecordedRequest) {
  // The client sends a token with every request.
  const headers = { Authorization: 'Bearer token' };
  if (form !== undefined) return served.ask(method, path, { headers, body: new URLSearchParams(form) });
  if (json === undefined) return served.ask(method, path, { headers });
  return served.ask(method, path, {
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(json),
  });
}

describe('the clients of the MCP gateway registry', () => {
  // One story: each request builds on those before it.
  it.each(RECORDED.map((request) => [request.row, request.command, request.method, request.path, request] as const))(
    '%s %s: %s %s',
    async (_row, _command, _method, _path, request) => {
      const { status, json } = await ask(request);
      expect([status, json]).toEqual([request.status, json]);
      parseWith(MODELS[request.model], json, request.model);
      if (request.answer !== undefined) expect(json).toMatchObject(request.answer);
    },
  );
});

describe('CL-15: embeddings-missing', () => {
  it('names the entity whose text the model refuses', async () => {
    const embedder = new WordEmbedder();
    embedder.refused = 'payroll';
    const refusing = await serveRegistry({ embedder: openedEmbedder(embedder) });
    await refusing.registry.put({ type: 'mcp_server', path: '/a', name: 'clock' });
    await refusing.registry.put({ type: 'mcp_server', path: '/b', name: 'payroll' });
    const { json } = await refusing.ask('GET', '/api/admin/embeddings/missing');
    parseWith(MODELS.missing, json, 'missing');
    expect(json).toMatchObject({ missing: [{ path: '/b', name: 'payroll' }], total_missing: 1, total_indexed: 1 });
    await refusing.close();
  });

  it('without a model says that everything is missing', async () => {
    const plain = await serveRegistry();
    const paths = ['/a', '/b', '/c'];
    await plain.registry.putMany(paths.map((path) => ({ type: 'mcp_server', path, name: path })));
    const { json } = await plain.ask('GET', '/api/admin/embeddings/missing');
    parseWith(MODELS.missing, json, 'missing');
    expect(json).toMatchObject({ embedder: null, total_missing: 3, total_indexed: 0, total_source: 3 });
    expect(json.missing.map(({ path }: { path: string }) => path)).toEqual(paths);
    const { json: stale } = await plain.ask('GET', '/api/admin/embeddings/stale');
    expect(stale).toMatchObject({ total_stale: 0, total_indexed: 0, total_source: 3 });
    await plain.close();
  });
});

describe('CL-19: metadata_fields', () => {
  it.each([
    ['mcp_server', '/one', '/api/servers', 'servers'],
    ['a2a_agent', '/one', '/api/agents', 'agents'],
    ['skill', '/skills/one', '/api/skills', 'skills'],
    ['virtual_server', '/virtual/one', '/api/virtual-servers', 'virtual_servers'],
  ])('leaves out all other fields of %s, in the list and alone', async (type, path, route, group) => {
    const full = await serveRegistry();
    const metadata = { team: 'platform', cost: 'low', region: { main: 'eu', spare: 'us' } };
    await full.registry.put({ type, path, name: 'one', metadata });
    for (const fields of ['metadata_fields=team&metadata_fields=region.main', 'metadata_fields=team,region.main']) {
      const { [group]: listed } = (await full.ask('GET', `${route}?${fields}`)).json;
      const alone = (await full.ask('GET', `${route}${path}?${fields}`)).json;
      for (const one of [...listed, alone]) expect(one.metadata).toEqual({ team: 'platform', region: { main: 'eu' } });
      expect(listed).toHaveLength(1);
    }
    await full.close();
  });
});

describe('CL-30: anthropic-list', () => {
  it('has packages without a version as the official schema wants them, beside those that the client reads', async () => {
    const own = await serveRegistry();
    const local = (path: string, more: object) => ({
      type: 'mcp_server',
      path,
      name: path.slice(1),
      version: '3.1.0',
      deployment: 'local',
      local_runtime: { type: 'npx', package: path.slice(1), ...more },
    });
    await own.registry.putMany([
      local('/any', {}),
      local('/newest', { version: 'latest' }),
      local('/one', { version: '1.2.3' }),
    ]);
    const { json } = await own.ask('GET', '/v0.1/servers?version=latest&limit=100');
    expect(json.servers.flatMap((one: object) => faultsOf('serverResponse', one))).toEqual([]);
    const packages = json.servers.map(({ server }: { server: { version: string; packages: object[] } }) => [
      server.version,
      server.packages[0],
    ]);
    const npx = (identifier: string, more: object = {}) => {
      const base = { registryType: 'npm', identifier, runtimeHint: 'npx', transport: { type: 'stdio' } };
      return ['3.1.0', { ...base, ...more }];
    };
    // Not that of the server: a client would install a version that may not exist.
    expect(packages).toEqual([npx('any'), npx('newest'), npx('one', { version: '1.2.3' })]);
    await own.close();
  });
});

describe('the rows', () => {
  it('are all cited by a test', () => {
    const folder = new URL('./', import.meta.url);
    const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts') || name === 'recorded-requests.ts');
    const text = tests.map((name) => readFileSync(new URL(name, folder), 'utf8')).join('\n');
    const cited = new Set([...text.matchAll(/CL-\d+/g)].map(([row]) => row));
    expect(Object.keys(CLIENT_ROWS).filter((row) => !cited.has(row))).toEqual([]);
    expect([...cited].filter((row) => !Object.hasOwn(CLIENT_ROWS, row))).toEqual([]);
  });
});
