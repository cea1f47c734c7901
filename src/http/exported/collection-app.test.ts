import { expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { reachOf } from '../../access/auth-mode.ts';
import { parseSettings } from '../../config.ts';
import { createDocuments } from '../../documents/create-documents.ts';
import { createMemories } from '../../memories/create-memories.ts';
import { serverLoad } from '../server-load.ts';
import { createCollectionApp } from './collection-app.ts';

it('answers the clients of IndexFoundry in their words: the mode that was asked for, errors as a text, 400', async () => {
  const registry = await memoryRegistry();
  const documents = createDocuments(registry);
  await documents.createCollection({ name: 'papers' });
  const settings = parseSettings({});
  const app = createCollectionApp({
    registry,
    documents,
    memories: createMemories(registry),
    collection: 'papers',
    chat: null,
    version: '1',
    load: serverLoad(settings),
    logger: { info() {}, warn() {}, error() {} },
    ...reachOf(settings),
  });
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
