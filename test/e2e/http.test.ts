import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { searchResponseSchema } from '../../src/model/answer/result.ts';
import { ERROR_CODES, type ErrorBody } from '../../src/model/errors/errors.ts';
import { Sandbox, SERVERS } from './cli-process.ts';

let sandbox: Sandbox;
let server: Awaited<ReturnType<Sandbox['serve']>>;
beforeAll(async () => {
  sandbox = await Sandbox.open();
  server = await sandbox.serve();
  await createClient({ baseUrl: server.url }).putEntities({ body: { entities: [...SERVERS] } });
});
afterAll(() => sandbox.close());

const send = (method: string, path: string, body: string) =>
  fetch(server.url + path, { method, headers: { 'Content-Type': 'application/json' }, body });

const skill = (path: string) => ({ type: 'skill', path, name: path });
const SEARCH = '/api/search/semantic';
const BATCH = '/api/entities:batch';

describe('bad input to a running server', () => {
  it.each([
    ['an unknown type in the URL', 'PUT', '/api/entities/gadget/x', { name: 'x' }, 'UNKNOWN_TYPE', 'type'],
    [
      'an unknown type in the body',
      'PUT',
      '/api/entities/skill/x',
      { name: 'x', type: 'gadget' },
      'UNKNOWN_TYPE',
      'type',
    ],
    [
      'an unknown type in a batch',
      'POST',
      BATCH,
      { entities: [skill('a'), { type: 'gadget' }] },
      'UNKNOWN_TYPE',
      'entities.1.type',
    ],
    ['malformed JSON', 'POST', SEARCH, '{"query": "x"', 'MALFORMED_JSON', undefined],
    ['a body of 10 MB', 'POST', SEARCH, { query: 'x'.repeat(10 * 1024 * 1024) }, 'BODY_TOO_LARGE', undefined],
    ['a query of 8193 characters', 'POST', SEARCH, { query: 'x'.repeat(8193) }, 'INVALID_REQUEST', 'query'],
    ['max_results 0', 'POST', SEARCH, { query: 'x', max_results: 0 }, 'INVALID_REQUEST', 'max_results'],
    ['max_results 51', 'POST', SEARCH, { query: 'x', max_results: 51 }, 'INVALID_REQUEST', 'max_results'],
    ['no query and no tags', 'POST', SEARCH, {}, 'EMPTY_SEARCH', 'query'],
    ['an unknown preset', 'POST', SEARCH, { query: 'x', preset: 'nope' }, 'UNKNOWN_PRESET', 'preset'],
    [
      'the same path twice in a batch',
      'POST',
      BATCH,
      { entities: [skill('a'), skill('b'), skill('a')] },
      'DUPLICATE_PATH',
      'entities.2.path',
    ],
    [
      'one bad entity in a batch',
      'POST',
      BATCH,
      { entities: [skill('a'), { ...skill('b'), name: 7 }] },
      'INVALID_REQUEST',
      'entities.1.name',
    ],
    [
      '1001 entities in a batch',
      'POST',
      BATCH,
      { entities: Array.from({ length: 1001 }, (_, i) => skill(`${i}`)) },
      'INVALID_REQUEST',
      'entities',
    ],
    [
      'nesting without end',
      'POST',
      SEARCH,
      `{"query": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'INVALID_REQUEST',
      'query.0.0',
    ],
    ['a control character in a path', 'PUT', '/api/entities/skill/a%00b', { name: 'x' }, 'INVALID_REQUEST', 'path'],
  ] as const)(
    '%s gets a code, a field and a hint; nothing is stored and the server lives',
    async (_, method, path, body, code, field) => {
      const response = await send(method, path, typeof body === 'string' ? body : JSON.stringify(body));
      const { error } = (await response.json()) as ErrorBody;
      expect([error.code, error.field, response.status]).toEqual([code, field, ERROR_CODES[code].http]);
      expect(error.message).toMatch(/\.$/);
      expect(error.hint).toMatch(/\w/);
      const health = await createClient({ baseUrl: server.url }).health();
      expect(health.index.entities).toBe(SERVERS.length);
    },
  );

  it('is logged without what was searched for', () => {
    expect(server.output.stderr).toContain('"code":"INVALID_REQUEST"');
    expect(server.output.stderr).not.toContain('xxxxx');
  });
});

describe('a running server', () => {
  it('finds what was put, in the shape it promises', async () => {
    const response = await send('POST', SEARCH, '{"query": "read a web page"}');
    const answer = searchResponseSchema.parse(await response.json());
    expect(answer.results[0]).toMatchObject({ entity_type: 'mcp_server', path: '/page-reader' });
    expect(answer.servers[0]?.matching_tools[0]?.tool_name).toBe('read_page');
    expect(response.headers.get('server-timing')).toMatch(/^total;dur=/);
  });

  it('gives the command line the same answer as REST, and again when the folder is opened without a server', async () => {
    const request = { query: 'mail', max_results: 3, explain: true };
    const rest = await (await send('POST', SEARCH, JSON.stringify(request))).json();
    const ask = async () => {
      const { stdout, stderr } = await sandbox.run(['search', 'mail', '--limit', '3', '--explain', '--json']);
      expect(stderr).toBe('');
      return JSON.parse(stdout) as unknown;
    };
    expect(await ask()).toEqual(rest);
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(await ask()).toEqual(rest);
    server = await sandbox.serve();
  });

  it('is found through server.json, which goes when it goes', async () => {
    const note = JSON.parse(await readFile(join(sandbox.data, 'server.json'), 'utf8')) as { url: string };
    expect(note.url).toBe(server.url);
    const second = await sandbox.run(['serve', '--port', '0']);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('error[STORE_LOCKED]')]);
    expect(second.stderr).toContain(server.url);
    await server.stop('SIGTERM');
    expect(await readdir(sandbox.data)).not.toContain('server.json');
    server = await sandbox.serve();
  });

  it('says of a folder that an MCP client has who has it, and what to do', async () => {
    await server.stop('SIGTERM');
    const mcp = sandbox.start(['mcp']);
    await expect.poll(() => readdir(sandbox.data)).toContain('server.json');
    const second = await sandbox.run(['serve', '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/error\[STORE_LOCKED\]: A 'dowser mcp' has the data folder .* \(process \d+\)/);
    expect(second.stderr).not.toContain('http://');
    await mcp.stop('SIGTERM');
    server = await sandbox.serve();
  });

  it('keeps what it acknowledged when it is killed, and starts again beside its own leftovers', async () => {
    const client = createClient({ baseUrl: server.url });
    await client.putEntity({ params: { type: 'skill', path: '/skills/late' }, body: { type: 'skill', name: 'late' } });
    await server.stop('SIGKILL');
    expect(await readdir(sandbox.data)).toContain('server.json');
    const { code, stdout } = await sandbox.run(['search', 'late', '--json']);
    expect([code, (JSON.parse(stdout) as { results: { path: string }[] }).results[0]?.path]).toEqual([
      0,
      '/skills/late',
    ]);
    server = await sandbox.serve();
    await createClient({ baseUrl: server.url }).deleteEntity({ params: { type: 'skill', path: '/skills/late' } });
  });

  it('says that its port is taken', async () => {
    const other = await Sandbox.open();
    try {
      const { code, stderr } = await other.run(['serve', '--port', new URL(server.url).port]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error\[PORT_IN_USE\]: .*127\.0\.0\.1:\d+.*\nhint: .*--port.*\n$/);
      expect(await readdir(other.data)).not.toContain('server.json');
    } finally {
      await other.close();
    }
  });

  it('turns a page of another site away', async () => {
    const response = await fetch(server.url + SEARCH, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://elsewhere.test' },
      body: '{"query": "x"}',
    });
    expect(((await response.json()) as ErrorBody).error.field).toBe('Origin');
  });
});
