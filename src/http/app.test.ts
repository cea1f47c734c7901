import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../test/surface/memory-registry.ts';
import { CHALLENGE_HEADER, PROOF_HEADER, proofOf } from '../api/local-proof.ts';
import { parseSettings } from '../config.ts';
import { DowserError, type ErrorBody } from '../model/errors.ts';
import type { LocalRegistry } from '../registry/registry.ts';
import { type AppOptions, createApp, toRouterPath } from './app.ts';
import { serverLoad } from './server-load.ts';

interface Line {
  readonly level: string;
  readonly facts: Record<string, unknown>;
}

async function appWith(overrides: Partial<LocalRegistry> = {}, options: Partial<AppOptions> = {}) {
  const registry = await memoryRegistry(overrides);
  const lines: Line[] = [];
  const write = (level: string) => (facts: object) => void lines.push({ level, facts: facts as Line['facts'] });
  const app = createApp({
    registry,
    version: '1.2.3',
    logger: { info: write('info'), warn: write('warn'), error: write('error') },
    load: serverLoad({ ...parseSettings({}), body_limit_bytes: 1000 }),
    logQueryText: false,
    loopbackOnly: false,
    remoteWrites: true,
    allowedHosts: ['box.test'],
    ...options,
  });
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const text = isRaw ? (body as string | Uint8Array<ArrayBuffer> | undefined) : JSON.stringify(body);
    const all = new Headers({
      Host: 'localhost',
      ...(typeof text === 'string' ? { 'Content-Type': 'application/json' } : {}),
    });
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const response = await app.request(`http://localhost${path}`, {
      method,
      headers: all,
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text();
    const isJson = answer !== '' && response.headers.get('content-type')?.includes('json') === true;
    const json = isJson ? JSON.parse(answer) : undefined;
    return { response, status: response.status, text: answer, json, error: (json as ErrorBody | undefined)?.error };
  };
  return { send, lines };
}

const SERVER = { name: 'Context7', description: 'Current documentation of libraries' };

describe('toRouterPath', () => {
  it.each([
    ['/a/{id}', '/a/:id'],
    ['/a/{id}/{rest*}', '/a/:id/:rest{.+}'],
    ['/a/{rest*}/end', '/a/:rest{.+/end}'],
    ['/a/b:verb', '/a/:_{b:verb}'],
  ])('turns %s into %s', (path, expected) => {
    expect(toRouterPath(path)).toBe(expected);
  });
});

describe('entities over HTTP', () => {
  it('reads a tool of a server, which only its server can change', async () => {
    const { send } = await appWith();
    await send('PUT', '/api/entities/mcp_server//context7', { ...SERVER, tools: [{ name: 'get_docs' }] });
    for (const path of ['%2Fcontext7%23get_docs', '/context7%23get_docs', 'context7%23get_docs']) {
      const url = `/api/entities/tool/${path}`;
      const { status, json } = await send('GET', url);
      expect([status, json.entity.path, json.entity.server_path]).toEqual([200, '/context7#get_docs', '/context7']);
      for (const method of ['PUT', 'DELETE']) {
        const { status, error } = await send(method, url, method === 'PUT' ? { name: 'get_docs' } : undefined);
        expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', 'path']);
        expect(error?.hint).toContain('/context7');
      }
    }
    const { status, error } = await send('GET', '/api/entities/tool//context7%23get_dosc');
    expect([status, error?.code, error?.hint]).toEqual([404, 'NOT_FOUND', 'Did you mean "/context7#get_docs"?']);
  });

  it('creates with 201, replaces with 200, reads, deletes with 204, then answers 404', async () => {
    const { send } = await appWith();
    const created = await send('PUT', '/api/entities/mcp_server//context7', SERVER);
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ entity_type: 'mcp_server', path: '/context7', created: true });
    expect((await send('PUT', '/api/entities/mcp_server//context7', SERVER)).status).toBe(200);
    const read = await send('GET', '/api/entities/mcp_server//context7');
    expect(read.json).toMatchObject({ entity: { type: 'mcp_server', path: '/context7', name: 'Context7' } });
    const deleted = await send('DELETE', '/api/entities/mcp_server//context7');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await send('GET', '/api/entities/mcp_server//context7')).error?.code).toBe('NOT_FOUND');
  });

  it.each([
    ['/api/entities/package//context7', '/context7'],
    ['/api/entities/package/%2Fcontext7', '/context7'],
    ['/api/entities/package/context7', 'context7'],
    ['/api/entities/package/a/b/c', 'a/b/c'],
    ['/api/entities/package/npm%3A%40scope%2Fname', 'npm:@scope/name'],
    ['/api/entities/package/npm:@scope/name', 'npm:@scope/name'],
    ['/api/entities/package/caf%C3%A9%20%25%20x', 'café % x'],
    ['/api/entities/package/what%3Fis%23this', 'what?is#this'],
    ['/api/entities/package/%252F', '%2F'],
  ])('reads the path of %s as %j', async (url, path) => {
    const { send } = await appWith();
    expect((await send('PUT', url, SERVER)).json).toMatchObject({ path });
  });

  it('accepts type and path in the body, with or without the leading slash, and keeps that spelling', async () => {
    const { send } = await appWith();
    const body = { ...SERVER, type: 'mcp_server', path: '/context7' };
    expect((await send('PUT', '/api/entities/mcp_server/context7', body)).json).toMatchObject({ path: '/context7' });
  });

  it('replaces the entity that the same URL reads, also without the leading slash', async () => {
    const { send } = await appWith();
    await send('PUT', '/api/entities/mcp_server//context7', SERVER);
    const again = await send('PUT', '/api/entities/mcp_server/context7', SERVER);
    expect([again.status, again.json]).toMatchObject([200, { path: '/context7' }]);
  });

  it.each([
    [{ type: 'skill' }, 'INVALID_REQUEST', 'type'],
    [{ path: '/other' }, 'INVALID_REQUEST', 'path'],
    [{ type: 'gadget' }, 'UNKNOWN_TYPE', 'type'],
    [{ path: 7 }, 'INVALID_REQUEST', 'path'],
    [{ name: '' }, 'INVALID_REQUEST', 'name'],
    [[], 'INVALID_REQUEST', undefined],
    ['"text"', 'INVALID_REQUEST', undefined],
  ])('refuses the body %j', async (change, code, field) => {
    const { send } = await appWith();
    const body = typeof change === 'object' && !Array.isArray(change) ? { ...SERVER, ...change } : change;
    const { error, status } = await send('PUT', '/api/entities/mcp_server//context7', body);
    expect(error).toMatchObject({ code, ...(field === undefined ? {} : { field }) });
    expect(status).toBe(422);
  });

  it('refuses an unknown type with the list of types', async () => {
    const { send } = await appWith();
    const { status, error } = await send('GET', '/api/entities/gadget/x');
    expect([status, error?.code]).toEqual([422, 'UNKNOWN_TYPE']);
    expect(error?.message).toContain('"gadget"');
    expect(error?.hint).toContain('mcp_server');
  });

  it('passes on vectors and lifecycle, and refuses other values', async () => {
    const asked: unknown[] = [];
    const { put } = await memoryRegistry();
    const { send } = await appWith({
      put: (entity, options) => {
        asked.push(options);
        return put(entity);
      },
    });
    await send('PUT', '/api/entities/skill/x?vectors=later', SERVER);
    await send('PUT', '/api/entities/skill/x?lifecycle=keep', SERVER);
    expect(asked).toEqual([
      { vectors: 'later', lifecycle: 'replace' },
      { vectors: 'now', lifecycle: 'keep' },
    ]);
    const wrong = await send('PUT', '/api/entities/skill/x?vectors=soon', SERVER);
    expect(wrong.error).toMatchObject({ code: 'INVALID_REQUEST', field: 'vectors' });
    expect(wrong.error?.message).toContain('"soon"');
  });

  it('accepts a batch, and names a field that is not an entity', async () => {
    const { send } = await appWith();
    const entities = ['a', 'b'].map((path) => ({ type: 'skill', path, name: path, oops: 1 }));
    const { status, json } = await send('POST', '/api/entities:batch', { entities });
    expect([status, json]).toMatchObject([200, { created: 2, updated: 0 }]);
    expect(json.warnings[0]).toContain("'oops'");
    expect((await send('POST', '/api/entities:batch', { entities: [entities[0], 7] })).error).toMatchObject({
      field: 'entities.1',
    });
    expect((await send('POST', '/api/entities:batch', {})).error).toMatchObject({ field: 'entities' });
  });

  it('accepts 1000 entities in a batch and not one more', async () => {
    const { send } = await appWith({}, { load: serverLoad({ ...parseSettings({}), body_limit_bytes: 1_000_000 }) });
    const batch = (n: number) => ({
      entities: Array.from({ length: n }, (_, i) => ({ type: 'skill', path: `${i}`, name: 'x' })),
    });
    expect((await send('POST', '/api/entities:batch', batch(1000))).status).toBe(200);
    expect((await send('POST', '/api/entities:batch', batch(1001))).error).toMatchObject({ field: 'entities' });
  });
});

describe('requests and errors', () => {
  it('says where the body stops being JSON', async () => {
    const { status, error } = await (await appWith()).send('POST', '/api/search/semantic', '{"query": }');
    expect([status, error?.code]).toEqual([400, 'MALFORMED_JSON']);
    expect(error?.message).toContain('line 1, column 11');
  });

  it.each([
    [{ query: 'x', max_results: 0 }, 'max_results'],
    [{ query: 'x', max_results: 51 }, 'max_results'],
    [{ query: 'x', max_results: 2.5 }, 'max_results'],
    [{ query: 7 }, 'query'],
    [{ query: 'x', weights: { keyword: 0, vector: 0 } }, 'weights'],
    [null, undefined],
  ])('refuses the search %j with the field', async (body, field) => {
    const { status, error } = await (await appWith()).send('POST', '/api/search/semantic', JSON.stringify(body));
    expect([status, error?.code, error?.field]).toEqual([422, 'INVALID_REQUEST', field]);
    expect(error?.hint).toContain('/openapi.json');
  });

  it('refuses a body over the limit, announced or not', async () => {
    const { send } = await appWith();
    const { status, error } = await send('POST', '/api/search/semantic', { query: 'x'.repeat(1000) });
    expect([status, error?.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(error?.hint).toContain('body_limit_bytes');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('refuses a body of type %s', async (type) => {
    const { error } = await (await appWith()).send('POST', '/api/search/semantic', '{"query":"x"}', {
      'Content-Type': type,
    });
    expect(error).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE', field: 'Content-Type' });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'])(
    'reads a body of type %s',
    async (type) => {
      const { status } = await (await appWith()).send('POST', '/api/search/semantic', '{"query":"x"}', {
        'Content-Type': type,
      });
      expect(status).toBe(200);
    },
  );

  it('answers an unknown route with 404 and a hint', async () => {
    const { status, error } = await (await appWith()).send('GET', '/api/nothing');
    expect([status, error?.code]).toEqual([404, 'NOT_FOUND']);
    expect(error?.hint).toContain('/openapi.json');
  });

  it.each([
    ['GET', '/api/search/semantic', 'POST, OPTIONS'],
    ['POST', '/api/entities/skill/x', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['DELETE', '/api/entities:batch', 'POST, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
  ])('answers %s %s with 405 and Allow', async (method, path, allow) => {
    const { status, error, response } = await (await appWith()).send(method, path);
    expect([status, error?.code, response.headers.get('allow')]).toEqual([405, 'METHOD_NOT_ALLOWED', allow]);
  });

  it('answers OPTIONS with what is allowed and no cross-origin permission', async () => {
    const { status, response } = await (await appWith()).send('OPTIONS', '/api/search/semantic');
    expect([status, response.headers.get('allow')]).toEqual([204, 'POST, OPTIONS']);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('hides the details of an internal error from the caller and logs them', async () => {
    const fails = async () => {
      throw new TypeError('secret inner detail');
    };
    const { send, lines } = await appWith({ search: fails });
    const { status, text, error } = await send('POST', '/api/search/semantic', { query: 'x' });
    expect([status, error?.code]).toEqual([500, 'INTERNAL']);
    expect(text).not.toContain('secret');
    expect(String(lines.find((line) => line.level === 'error')?.facts.err)).toContain('secret inner detail');
  });

  it('gives an error of Dowser its own status', async () => {
    const fails = async () => {
      throw new DowserError('STORE_FULL', 'The disk is full.', { hint: 'Make room.' });
    };
    const { status, json } = await (await appWith({ search: fails })).send('POST', '/api/search/semantic', {});
    expect([status, json]).toEqual([
      507,
      {
        error: { code: 'STORE_FULL', message: 'The disk is full.', hint: 'Make room.' },
        detail: 'The disk is full.',
      },
    ]);
  });

  it('sends safe headers, a timing and a request id with every answer, errors too', async () => {
    const { send } = await appWith();
    for (const { response } of [
      await send('GET', '/api/health'),
      await send('GET', '/nothing'),
      await send('GET', '/'),
    ]) {
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('server-timing')).toMatch(/^total;dur=[\d.]+$/);
      expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    }
  });

  it("keeps a caller's request id unless it could forge a log line", async () => {
    const { send } = await appWith();
    const idOf = async (id: string) =>
      (await send('GET', '/api/health', undefined, { 'X-Request-Id': id })).response.headers.get('x-request-id');
    expect(await idOf('abc-123')).toBe('abc-123');
    expect(await idOf('a b"{}')).not.toBe('a b"{}');
  });

  it('logs a line for each request, without the query text', async () => {
    const { send, lines } = await appWith();
    await send('POST', '/api/search/semantic', { query: 'my private words' });
    await send('POST', '/api/search/semantic', { query: 'my private words'.repeat(40), preset: 'registry' });
    expect(lines.map(({ facts }) => [facts.method, facts.path, facts.status])).toEqual([
      ['POST', '/api/search/semantic', 200],
      ['POST', '/api/search/semantic', 422],
    ]);
    expect(JSON.stringify(lines)).not.toContain('private');
  });

  it('logs the query text when the setting asks for it', async () => {
    const { send, lines } = await appWith({}, { logQueryText: true });
    await send('POST', '/api/search/semantic', { query: 'my private words' });
    expect(lines[0]?.facts.query).toBe('my private words');
  });

  it('answers health with 200 also when degraded', async () => {
    const { health } = await memoryRegistry();
    const degraded = async () => ({ ...(await health()), status: 'degraded' as const });
    const { status, json } = await (await appWith({ health: degraded })).send('GET', '/api/health');
    expect([status, json.status]).toEqual([200, 'degraded']);
  });

  it('answers HEAD as GET without the body', async () => {
    const { status, text } = await (await appWith()).send('HEAD', '/api/entities/skill/none');
    expect([status, text]).toEqual([404, '']);
    expect((await (await appWith()).send('HEAD', '/')).status).toBe(200);
  });

  it('has a page at / for browsers that shows the address it was asked at', async () => {
    const { response, text } = await (await appWith()).send('GET', '/');
    expect(response.headers.get('content-type')).toContain('text/html');
    for (const part of ['/openapi.json', '/api/health', 'curl http://localhost/api/search/semantic']) {
      expect(text).toContain(part);
    }
  });

  it('guards a loopback server', async () => {
    const { send } = await appWith({}, { loopbackOnly: true });
    const search = { query: 'x' };
    const own = await send('POST', '/api/search/semantic', search, { Host: 'localhost:1', Origin: 'http://[::1]:1' });
    expect(own.status).toBe(200);
    const page = await send('POST', '/api/search/semantic', search, {
      Host: 'localhost:1',
      Origin: 'https://evil.test',
    });
    expect(page.error).toMatchObject({ field: 'Origin' });
    const rebound = await send('GET', '/api/health', undefined, { Host: 'evil.test:1' });
    expect(rebound.error).toMatchObject({ field: 'Host' });
  });

  it('is read-only over the network, for programs and forms alike', async () => {
    const { send } = await appWith({}, { loopbackOnly: false, remoteWrites: false });
    const box = { Host: 'box.test:7470' };
    const form = { ...box, 'Content-Type': 'application/x-www-form-urlencoded' };
    const writes = [
      await send('PUT', '/api/entities/mcp_server//context7', SERVER, box),
      await send('POST', '/api/servers/register', 'name=a&path=/a', form),
      await send('POST', '/api/admin/embeddings/reindex', { all: true }, box),
    ];
    expect(writes.map(({ status, error }) => [status, error?.code])).toEqual(Array(3).fill([403, 'FORBIDDEN']));
    expect(writes[0]!.error?.hint).toContain('allow_remote_writes');
    const stored = await send('POST', '/api/memories', { content: 'The port is 7470.' }, box);
    expect([stored.status, stored.error?.code]).toEqual([403, 'FORBIDDEN']);
    const call = { name: 'store_memory', arguments: { content: 'The port is 7470.' } };
    const accept = { ...box, Accept: 'application/json, text/event-stream' };
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    for (const path of ['/mcp', '/mcp/memory']) {
      expect((await send('POST', path, rpc, accept)).text).toContain('read-only for requests over the network');
    }
    const outcome = { chosen_tool: '/x', outcome: 'success' };
    const report = { ...rpc, params: { name: 'report_outcome', arguments: outcome } };
    expect((await send('POST', '/mcp/recommend', report, accept)).text).toContain('read-only for requests');
    expect((await send('POST', '/api/recommend/outcome', outcome, box)).status).toBe(403);
    expect((await send('POST', '/api/recommend', { query: 'x' }, box)).status).toBe(200);
    expect((await send('POST', '/api/search/semantic', { query: 'x' }, box)).status).toBe(200);
    expect((await send('GET', '/api/entities', undefined, box)).json.total_count).toBe(0);
  });

  it('refuses the forms of other pages, with and without an Origin', async () => {
    const { send } = await appWith({}, { loopbackOnly: true });
    const form = { Host: 'localhost:7470', 'Content-Type': 'application/x-www-form-urlencoded' };
    const post = async (headers: Record<string, string>) =>
      (await send('POST', '/api/servers/register', 'name=a&path=/a', { ...form, ...headers })).status;
    expect(await post({ Origin: 'http://localhost:3000' })).toBe(403);
    expect(await post({ Origin: 'null' })).toBe(403);
    expect(await post({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403);
    expect(await post({})).not.toBe(403);
  });

  describe('for pages of an allowed origin', () => {
    const Origin = 'http://localhost:6274';
    const Host = 'localhost:7470';
    const page = () => appWith({}, { loopbackOnly: true, allowedOrigins: [Origin] });
    const listOf = (text: string | null) => (text ?? '').toLowerCase().split(', ');

    it.each([
      ['/mcp', 'POST', 'authorization, content-type, mcp-protocol-version, mcp-session-id, mcp-method'],
      ['/mcp/registry', 'POST', 'mcp-name, last-event-id'],
      ['/api/entities/skill/x', 'PUT', 'if-match, if-none-match, x-api-key'],
      ['/api/search/semantic', 'POST', 'content-type'],
    ])('answers the preflight of %s', async (path, method, asked) => {
      const { status, response } = await (await page()).send('OPTIONS', path, undefined, {
        ...{ Host, Origin, 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': asked },
        'Access-Control-Request-Private-Network': 'true',
      });
      expect(status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe(Origin);
      expect(response.headers.get('vary')).toBe('Origin');
      expect(listOf(response.headers.get('access-control-allow-methods'))).toContain(method.toLowerCase());
      expect(listOf(response.headers.get('access-control-allow-headers'))).toEqual(
        expect.arrayContaining(asked.split(', ')),
      );
      expect(response.headers.get('access-control-allow-private-network')).toBe('true');
      expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    });

    it('lets them read answers and errors, with their headers', async () => {
      const { send } = await page();
      const found = await send('POST', '/api/search/semantic', { query: 'x' }, { Host, Origin });
      const missing = await send('GET', '/api/entities/skill/none', undefined, { Host, Origin });
      expect([found.status, missing.status]).toEqual([200, 404]);
      for (const { response } of [found, missing]) {
        expect(response.headers.get('access-control-allow-origin')).toBe(Origin);
        expect(listOf(response.headers.get('access-control-expose-headers'))).toEqual(
          expect.arrayContaining(['etag', 'mcp-session-id', 'mcp-protocol-version', 'www-authenticate']),
        );
      }
    });

    it.each(['https://evil.test', 'http://localhost:6275', 'https://localhost:6274', 'null'])(
      'allows nothing to %s',
      async (other) => {
        const { send } = await page();
        const preflight = { Host, Origin: other, 'Access-Control-Request-Method': 'POST' };
        const asked = await send('OPTIONS', '/mcp', undefined, preflight);
        const posted = await send('POST', '/api/search/semantic', { query: 'x' }, { Host, Origin: other });
        expect(posted.status).toBe(403);
        for (const { response } of [asked, posted]) {
          expect(response.headers.get('access-control-allow-origin')).toBeNull();
          expect(response.headers.get('vary')).toBe('Origin');
        }
      },
    );
  });

  it('proves its secret to those who ask, and only then', async () => {
    const { send } = await appWith({}, { secret: 'abc' });
    const proof = async (headers: Record<string, string>) =>
      (await send('GET', '/api/health', undefined, headers)).response.headers.get(PROOF_HEADER);
    expect(await proof({ [CHALLENGE_HEADER]: 'one' })).toBe(proofOf('abc', 'one'));
    expect(await proof({ [CHALLENGE_HEADER]: 'two' })).not.toBe(proofOf('abc', 'one'));
    expect([await proof({}), await proof({ [CHALLENGE_HEADER]: 'x'.repeat(1000) })]).toEqual([null, null]);
  });
});

describe('a page of another site', () => {
  const HOST = { host: 'box.test:7470' };
  const OWN = { ...HOST, origin: 'http://box.test:7470' };
  const query = { query: 'x' };

  it.each([
    ['POST', '/api/search/semantic'],
    ['PUT', '/api/entities/skill/x'],
    ['DELETE', '/api/entities/skill/x'],
    ['POST', '/mcp'],
    ['POST', '/ard/search'],
    ['POST', '/a2a'],
  ])('may not send %s %s to a server that others reach', async (method, path) => {
    const { send } = await appWith();
    const { status, text } = await send(method, path, query, { ...HOST, origin: 'https://elsewhere.test' });
    expect([status, text]).toEqual([403, expect.stringContaining('https://elsewhere.test')]);
    expect((await send(method, path, query, OWN)).status).not.toBe(403);
  });

  it('may do so where its address is the public one', async () => {
    const { send } = await appWith({}, { publicUrl: 'https://tools.example.com/' });
    const sent = { ...HOST, origin: 'https://tools.example.com' };
    expect((await send('POST', '/api/search/semantic', query, sent)).status).toBe(200);
  });

  it('must send a content type; programs need not', async () => {
    const { send } = await appWith();
    const bytes = new TextEncoder().encode('{"query":"x"}');
    const untyped = async (headers: Record<string, string>) => {
      const { status, error } = await send('POST', '/api/search/semantic', bytes, headers);
      return [status, error?.code, error?.field];
    };
    expect(await untyped(HOST)).toEqual([200, undefined, undefined]);
    expect(await untyped(OWN)).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE', 'Content-Type']);
  });
});
