import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { Sandbox } from './cli-process.ts';
import { fillServer, SKILL_URI } from './mcp-catalog.ts';

let sandbox: Sandbox;
let server: Awaited<ReturnType<Sandbox['serve']>>;
let endpoint: URL;

beforeAll(async () => {
  sandbox = await Sandbox.open();
  server = await sandbox.serve();
  endpoint = new URL('/mcp', server.url);
  await fillServer(server.url);
});
afterAll(() => sandbox.close());

const VERSION = '2026-07-28';
const send = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const modern = (method: string, params: object = {}, version = VERSION) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    },
  },
});
const ask = async (method: string, params: object = {}, headers: Record<string, string> = {}) => {
  const response = await send(modern(method, params), {
    'MCP-Protocol-Version': VERSION,
    'Mcp-Method': method,
    ...headers,
  });
  return { status: response.status, body: (await response.json()) as { result?: never; error?: { code: number } } };
};

describe('the wire', () => {
  it('answers server/discover with its versions and the Skills extension', async () => {
    const { body } = await ask('server/discover');
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining([VERSION]),
      capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
    });
  });

  it('lists tools with how long they may be kept', async () => {
    const { body } = await ask('tools/list');
    expect(body.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  });

  it('serves skills with digests that hold', async () => {
    const { body } = await ask('skills/list');
    const { skills } = body.result as unknown as {
      skills: { uri: string; frontmatter: object; resources: { digest: string; size: number }[] }[];
    };
    expect(skills.map(({ uri }) => uri)).toEqual([SKILL_URI, 'skill://skills/packing/SKILL.md']);
    expect(skills[0]).toMatchObject({
      frontmatter: { name: 'brewing', description: 'Brews tea: "green", black: any', metadata: { version: '1.2.0' } },
    });
    const got = await ask('skills/get', { uri: SKILL_URI });
    expect((got.body.result as unknown as { skill: unknown }).skill).toEqual(skills[0]);
    const read = await ask('resources/read', { uri: SKILL_URI }, { 'Mcp-Name': SKILL_URI });
    const { text } = (read.body.result as unknown as { contents: [{ text: string }] }).contents[0];
    expect(`sha256:${createHash('sha256').update(text).digest('hex')}`).toBe(skills[0]!.resources[0]!.digest);
    expect(Buffer.byteLength(text)).toBe(skills[0]!.resources[0]!.size);
  });

  it.each([
    ['an unknown method', 'no/such/method', {}, {}, 404, -32601],
    ['a header that disagrees', 'tools/list', {}, { 'Mcp-Method': 'tools/call' }, 400, -32020],
    ['a version header that disagrees', 'tools/list', {}, { 'MCP-Protocol-Version': '2025-11-25' }, 400, -32020],
    ['a skill that is not there', 'skills/get', { uri: 'skill://no/SKILL.md' }, {}, 200, -32602],
    [
      'a resource that is not there',
      'resources/read',
      { uri: 'skill://no/SKILL.md' },
      { 'Mcp-Name': 'skill://no/SKILL.md' },
      200,
      -32602,
    ],
  ] as const)('answers %s as the protocol says', async (_, method, params, headers, status, code) => {
    const answer = await ask(method, params, headers);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  it('answers a revision it does not know with those it does', async () => {
    const response = await send(modern('tools/list', {}, '2030-01-01'), {
      'MCP-Protocol-Version': '2030-01-01',
      'Mcp-Method': 'tools/list',
    });
    const { error } = (await response.json()) as { error: { code: number; data: { supported: string[] } } };
    expect([response.status, error.code, error.data.supported]).toEqual([400, -32022, [VERSION]]);
  });

  it('answers what is no JSON with a parse error', async () => {
    const response = await send('{"jsonrpc":');
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
      400, -32700,
    ]);
  });

  it('refuses a body over the limit', async () => {
    const response = await send(
      modern('tools/call', { name: 'search_tools', arguments: { query: 'x'.repeat(9_000_000) } }),
    );
    expect(response.status).toBe(413);
  });

  it('turns a page of another site away, and other methods', async () => {
    expect((await send(modern('tools/list'), { Origin: 'https://elsewhere.test' })).status).toBe(403);
    expect((await fetch(endpoint)).status).toBe(405);
    expect((await fetch(endpoint, { method: 'DELETE' })).status).toBe(405);
  });
});

/** The last of this file: it stops the server. */
describe('a subscription', () => {
  it('is told of a changed catalog, and does not keep the server from stopping', async () => {
    const method = 'subscriptions/listen';
    const stream = await send(modern(method, { notifications: { toolsListChanged: true } }), {
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
    });
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    let heard = '';
    const reading = (async () => {
      for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) heard += part;
    })();
    const params = { type: 'a2a_agent', path: '/agents/late' } as const;
    await createClient({ baseUrl: server.url }).putEntity({ params, body: { type: 'a2a_agent', name: 'late' } });
    const nudged = async () => {
      await ask('tools/list');
      return heard;
    };
    await expect.poll(nudged, { interval: 300 }).toContain('notifications/tools/list_changed');
    expect(await server.stop('SIGTERM')).toBe(0);
    // Rejects when the server had to break the connection, which it does once its patience ends.
    await reading;
  });
});
