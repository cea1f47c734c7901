import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE_ROUTES } from '../../src/http/memory-service/service-routes.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';
import { CONDITIONAL_ROUTES, UNCONDITIONAL_ROUTES } from './conditional-routes.ts';

let served: ServedRegistry;
const hashes = { hash: '', other: '' };
const cards = createServer((_, response) => {
  const card = { name: 'Agent', description: 'published', url: 'https://agent.example.com', skills: [] };
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(card));
});

beforeEach(async () => {
  if (!cards.listening) await new Promise<void>((resolve) => cards.listen(0, '127.0.0.1', resolve));
  cards.unref();
  served = await serveRegistry({}, { discovery_private_addresses: true });
  const url = `http://127.0.0.1:${(cards.address() as AddressInfo).port}`;
  await served.registry.putMany([
    { type: 'mcp_server', path: '/clock', name: 'Clock', url: 'https://clock.example.com', version: '1' },
    { type: 'a2a_agent', path: '/agent', name: 'Agent', url },
    { type: 'skill', path: '/skills/zip', name: 'zip', description: 'Packs files.' },
    { type: 'virtual_server', path: '/virtual/dev', name: 'Dev' },
  ]);
  await served.registry.addVersion({ type: 'mcp_server', path: '/clock', name: 'Clock', version: '2' });
  const source = { kind: 'mcp', locator: { url: 'https://drifted.example.com' } };
  for (const description of ['before', 'after']) {
    const entity = { type: 'mcp_server', path: '/drifted', name: 'Drifted', tools: [{ name: 'tool', description }] };
    await served.registry.observe({ source, entities: [{ entity }] });
  }
  const store = async (content: string, tag: string) =>
    (await served.send('POST', '/api/memory:store', { content, tags: [tag] })).json.content_hash;
  Object.assign(hashes, {
    hash: await store('Tea is at four.', 'first'),
    other: await store('Coffee at six.', 'last'),
  });
  await served.send('POST', '/api/collections', { name: 'guides' });
});
afterEach(() => served.close());

const filled = (text: string) => text.replaceAll(/\{(hash|other)\}/g, (_, name: 'hash' | 'other') => hashes[name]);

/** The path of a route about an entity, such as `/api/servers/{path}/rate`. */
function pathOf(route: string, target = ''): string {
  const end = target.replace(/^\w+\/\/(?:skills\/|virtual\/|collections\/)?/, '');
  return route.split(' ')[1]!.replace(/\{(?:path|name|hash)\}/, end);
}

function ask(method: string, path: string, body: unknown, tag?: string, condition = 'If-Match') {
  const headers = {
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...(tag === undefined ? {} : { [condition]: tag }),
  };
  const init = { headers, ...(body === undefined ? {} : { body: filled(JSON.stringify(body)) }) };
  return served.ask(method, filled(path.startsWith('/') ? path : `/api/entities/${path}`), init);
}

/** Every entity, with what the registry notes about it. */
async function everything(): Promise<unknown> {
  const all: unknown[] = [];
  for await (const record of served.registry.all()) all.push(record);
  for (const type of ['mcp_server', 'a2a_agent', 'skill', 'virtual_server', 'document'] as const) {
    for (const key of ['ratings', 'versions', 'drift', 'scan']) all.push(await served.registry.annotated(type, key));
  }
  return all;
}

const tagOf = async (target: string) =>
  (await served.ask('GET', `/api/entities/${filled(target)}`)).headers.get('etag')!;

describe('CL-6: If-Match', () => {
  it('is honored by every route that changes entities', async () => {
    const { json } = await served.ask('GET', '/openapi.json');
    const lines = Object.entries(json.paths as Record<string, Record<string, OpenApiOperation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })),
    );
    const writes = lines.filter(({ operation }) => rightOf(operation) === 'write' || rightOf(operation) === 'admin');
    const changing = writes.filter(({ line }) => !line.startsWith('GET ')).map(({ line }) => line);
    const service = SERVICE_ROUTES.filter(({ right }) => right === 'write').map(
      ({ method, path }) => `${method} ${path}`,
    );
    const known = [...Object.keys(CONDITIONAL_ROUTES), ...Object.keys(UNCONDITIONAL_ROUTES)];
    expect(known.sort()).toEqual([...changing, ...service].sort());
    for (const { line, operation } of lines) {
      const isNamed = ['if-match', 'if-none-match'].every((header) =>
        operation.parameters?.some(({ name }) => name === header),
      );
      const isOpen = line in CONDITIONAL_ROUTES || line === 'POST /api/agents/batch';
      expect([line, isNamed, '412' in operation.responses]).toEqual([line, isOpen, isOpen]);
    }
  });

  it.each(Object.entries(CONDITIONAL_ROUTES))('%s', async (route, { target, path, body, after }) => {
    const method = route.split(' ')[0]!;
    const at = path ?? pathOf(route, target);
    if (after !== undefined) await ask(...after);
    const before = await everything();
    for (const tag of target === undefined ? ['"stale"', '*'] : ['"stale"']) {
      const refused = await ask(method, at, body, tag);
      expect([refused.status, refused.error?.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(await everything()).toEqual(before);
    if (target === undefined) {
      expect((await ask(method, at, body)).status).toBeLessThan(300);
      return;
    }
    const done = await ask(method, at, body, await tagOf(target));
    expect([done.status, done.error]).toEqual([expect.toSatisfy((status) => status < 300), undefined]);
    expect(await everything()).not.toEqual(before);
  });

  it('holds for each operation of a batch of agents', async () => {
    const items = [{ op: 'patch', path: '/agent', card: { description: 'new' } }];
    const job = async (tag: string) => {
      const { json } = await ask('POST', '/api/agents/batch', { items }, tag);
      const read = async () => (await served.ask('GET', json.status_url)).json;
      await expect.poll(async () => (await read()).results.length).toBe(1);
      return (await read()).results[0].status;
    };
    expect(await job('"stale"')).toBe(412);
    expect(await job(await tagOf('a2a_agent//agent'))).toBe(200);
  });

  it('is the ETag of a memory and of a collection too', async () => {
    const memory = await served.send('POST', '/api/memory:get', { content_hash: hashes.hash });
    const entityTag = (etag: string | null) => etag?.replace(/\..*/, '"');
    expect(memory.headers.get('etag')).toBe(entityTag(await tagOf('memory//{hash}')));
    const ofService = await served.ask('GET', filled('/api/memories/{hash}'));
    expect(entityTag(ofService.headers.get('etag'))).toBe(memory.headers.get('etag'));
    const collection = await served.ask('GET', '/api/collections/guides');
    const tag = await tagOf('document//collections/guides');
    expect(entityTag(collection.headers.get('etag'))).toBe(entityTag(tag));
  });

  it('is about the memory that a request names, not about the other one that it changes', async () => {
    const [own, other] = [await tagOf('memory//{hash}'), await tagOf('memory//{other}')];
    const supersede = (tag: string) =>
      ask('POST', '/api/memory:supersede', { content_hash: '{hash}', by: '{other}' }, tag);
    expect((await supersede(other)).error?.code).toBe('PRECONDITION_FAILED');
    const update = { content_hash: '{hash}', changes: { content: 'Coffee at six.' } };
    expect((await ask('POST', '/api/memory:update', update, other)).error?.code).toBe('PRECONDITION_FAILED');
    expect((await ask('POST', '/api/memory:update', update, own)).status).toBe(200);
    expect((await supersede(own)).error?.code).toBe('PRECONDITION_FAILED');
  });

  it('holds for an uploaded file', async () => {
    const upload = (tag: string) =>
      served.ask('POST', '/api/collections/guides/files?path=a.md', { headers: { 'If-Match': tag }, body: '# A' });
    expect((await upload('"stale"')).error?.code).toBe('PRECONDITION_FAILED');
    expect((await upload(await tagOf('document//collections/guides'))).status).toBe(200);
  });
});

describe('If-None-Match', () => {
  it.each(Object.entries(CONDITIONAL_ROUTES))('%s', async (route, { target, path, body, after }) => {
    const method = route.split(' ')[0]!;
    const at = path ?? pathOf(route, target);
    if (after !== undefined) await ask(...after);
    const before = await everything();
    const tags = target === undefined ? [] : ['*', `"other", ${await tagOf(target)}`];
    for (const tag of tags) {
      const refused = await ask(method, at, body, tag, 'If-None-Match');
      expect([refused.status, refused.error?.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(await everything()).toEqual(before);
    const done = await ask(method, at, body, target === undefined ? '*' : '"other"', 'If-None-Match');
    expect([done.status, done.error]).toEqual([expect.toSatisfy((status) => status < 300), undefined]);
    expect(await everything()).not.toEqual(before);
  });

  it('lets a write only add an entity', async () => {
    const put = () => ask('PUT', 'skill//skills/new', { name: 'new', description: 'one' }, '*', 'If-None-Match');
    expect((await put()).status).toBe(201);
    expect((await put()).error).toMatchObject({ code: 'PRECONDITION_FAILED', field: 'If-None-Match' });
  });
});

interface OpenApiOperation {
  readonly security?: readonly { readonly bearer?: readonly string[] }[];
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const rightOf = ({ security = [] }: OpenApiOperation) =>
  security.find(({ bearer }) => bearer !== undefined)?.bearer?.[0];
