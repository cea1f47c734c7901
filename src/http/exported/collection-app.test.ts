import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { reachOf } from '../../access/auth-mode.ts';
import { parseSettings } from '../../config.ts';
import { createDocuments } from '../../documents/create-documents.ts';
import { createMemories } from '../../memories/create-memories.ts';
import { serverLoad } from '../load/server-load.ts';
import { type CollectionAppOptions, createCollectionApp } from './collection-app.ts';

async function papers(more: Partial<CollectionAppOptions> = {}) {
  const registry = await memoryRegistry();
  const documents = createDocuments(registry);
  await documents.createCollection({ name: 'papers' });
  const settings = parseSettings({});
  return createCollectionApp({
    registry,
    documents,
    memories: createMemories(registry),
    collection: 'papers',
    chat: null,
    version: '1',
    load: serverLoad(settings),
    logger: { info() {}, warn() {}, error() {} },
    ...reachOf(settings),
    ...more,
  });
}

it('answers the clients of IndexFoundry in their words: the mode that was asked for, errors as a text, 400', async () => {
  const app = await papers();
  const search = async (body: object) => {
    const headers = { Host: 'localhost', 'Content-Type': 'application/json' };
    const response = await app.request('http://localhost/search', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };
  for (const mode of ['keyword', 'semantic', 'hybrid'])
    expect((await search({ query: 'a', mode })).json.mode).toBe(mode);
  expect(await search({ query: 'a', mode: 'other' })).toMatchObject({
    status: 400,
    json: { error: expect.stringContaining('mode'), code: 'INVALID_REQUEST' },
  });
  expect(await search({})).toMatchObject({ status: 400, json: { error: expect.any(String) } });
});

it('tells a client that it refuses when to come back, and logs no stack', async () => {
  const logged: unknown[] = [];
  const registry = await memoryRegistry();
  const settings = parseSettings({ max_running_requests: 1, max_waiting_requests: 0 });
  const load = serverLoad(settings);
  const app = createCollectionApp({
    registry,
    documents: createDocuments(registry),
    memories: createMemories(registry),
    collection: 'papers',
    chat: null,
    version: '1',
    load,
    logger: { info() {}, warn() {}, error: (fields) => void logged.push(fields) },
    ...reachOf(settings),
  });
  await load.admission.enter();
  const refused = await app.request('http://localhost/search', {
    method: 'POST',
    headers: { Host: 'localhost' },
    body: '{"query":"a"}',
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect(logged).toEqual([]);
});

describe('pages of other origins', () => {
  const PAGE = 'https://pages.example';
  const ask = async (more: Partial<CollectionAppOptions>, method: string, path: string, headers: object = {}) => {
    const app = await papers(more);
    const response = await app.request(`http://localhost${path}`, {
      method,
      headers: { Host: 'localhost', Origin: PAGE, 'Content-Type': 'application/json', ...headers },
      ...(method === 'POST' ? { body: path === '/chat' ? '{"question": "a"}' : '{"query": "a"}' } : {}),
    });
    return [response.status, response.headers.get('access-control-allow-origin')];
  };

  it('may use the routes of IndexFoundry, as on its own servers', async () => {
    const all = { anyOrigin: true };
    for (const path of ['/search', '/chat']) expect([path, await ask(all, 'POST', path)]).toEqual([path, [200, '*']]);
    for (const path of ['/health', '/stats', '/sources'])
      expect([path, await ask(all, 'GET', path)]).toEqual([path, [200, '*']]);
    expect(await ask(all, 'GET', '/chunks/none')).toEqual([404, '*']);
    const app = await papers(all);
    const preflight = await app.request('http://localhost/search', {
      method: 'OPTIONS',
      headers: { Host: 'localhost', Origin: PAGE, 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Content-Type');
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
  });

  it('may not use MCP, nor a name that is not one of the server', async () => {
    for (const path of ['/mcp', '/mcp/', '//mcp', '/%6dcp'])
      expect([path, await ask({ anyOrigin: true }, 'POST', path)]).not.toEqual([path, [200, expect.anything()]]);
    expect(await ask({ anyOrigin: true }, 'POST', '/mcp')).toEqual([403, null]);
    expect((await ask({ anyOrigin: true }, 'POST', '/search', { Host: 'rebound.example' }))[0]).toBe(403);
  });

  it('are those of the setting, if it names some', async () => {
    expect(await ask({}, 'POST', '/search')).toEqual([403, null]);
    expect(await ask({ allowedOrigins: ['https://other.example'] }, 'POST', '/search')).toEqual([403, null]);
    const named = { allowedOrigins: [PAGE] };
    expect(await ask(named, 'POST', '/search')).toEqual([200, PAGE]);
    expect((await ask(named, 'POST', '/mcp'))[0]).not.toBe(403);
  });
});
