import { connect } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAudit } from '../../src/access/read-audit.ts';
import { type AccessServer, AUDIENCE, accessServer } from '../support/access-server.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { skill } from '../support/skill.ts';

let issuer: Issuer;
let server: AccessServer;
let reader: string;
let admin: string;
const lines: string[] = [];
const HIDDEN = { visibility: 'private', owner: 'root' };

beforeAll(async () => {
  issuer = await startIssuer();
  const note = (facts: object, message: string) => lines.push(JSON.stringify({ ...facts, message }));
  const logger = { info: note, warn: note, error: note };
  server = await accessServer({ oidc_issuer: issuer.url, memory_readers: 'everyone' }, undefined, logger);
  reader = server.key({ name: 'reader' });
  admin = server.key({ name: 'admin', scopes: ['admin'] });
  await server.registry.putMany([
    ...['a', 'c', 'e'].map((name) => skill(`/${name}`)),
    ...['b', 'd', 'launch-plan'].map((name) => skill(`/${name}`, HIDDEN)),
    { type: 'mcp_server', path: '/deals', name: 'deals', description: 'x', tools: [{ name: 'close_deal' }], ...HIDDEN },
  ]);
});
afterAll(async () => {
  await server.close();
  await issuer.close();
});

const pathsOf = (json: { entities: { entity: { path: string } }[] }) => json.entities.map(({ entity }) => entity.path);
/** What a caller sees, without the name that it has sent itself. */
const answered = async (url: string, name: string, headers: Record<string, string> = {}) => {
  const { status, text, headers: got } = await server.ask('GET', url.replace('NAME', name), { key: reader, headers });
  return [status, got.get('etag'), text.replaceAll(name, 'NAME')];
};

describe('credentials in a URL', () => {
  const percentEncoded = (text: string) => text.replace(/^d/, '%64');
  it.each([
    ['a key as a parameter', (key: string) => `/api/entities?q=${key}`],
    ['a key in the path', (key: string) => `/api/entities/skill/${key}`],
    ['an encoded key', (key: string) => `/api/entities/skill/${percentEncoded(key)}`],
    ['a parameter in capitals', () => '/api/entities?Access_Token=x'],
  ])('are refused, and no log has them: %s', async (_, urlOf) => {
    const { status, text } = await server.ask('GET', urlOf(reader), { key: admin });
    expect(status).toBe(422);
    expect(text).not.toContain(reader);
  });

  it('are in no log at a route that does not exist either', async () => {
    expect((await server.ask('GET', `/nowhere/${reader}`, { key: admin })).status).toBe(404);
    expect((await server.ask('POST', `/api/entities/${percentEncoded(reader)}`)).status).toBeGreaterThanOrEqual(400);
  });

  it('of a token are refused too', async () => {
    const token = await issuer.sign({ sub: 'ada', aud: AUDIENCE, scope: 'read' });
    expect((await server.ask('GET', `/api/entities/skill/${token}`, { key: admin })).status).toBe(422);
    expect(lines.join('\n')).not.toContain(token);
  });
});

it('no log and no error has the credentials of a request', async () => {
  const wrong = [`dwsr_${'Z'.repeat(49)}`, 'hunter2hunter2', `${'e'.repeat(40)}.${'f'.repeat(40)}.secretsecret`];
  for (const key of wrong) {
    const { status, text } = await server.ask('GET', '/api/entities', { key });
    expect(status).toBe(401);
    expect(text).not.toContain(key);
  }
  await server.ask('GET', '/api/entities', { key: reader });
  await server.ask('POST', '/api/entities', { key: reader, body: { secret: 'hunter3' } });
  const audit = JSON.stringify(await readAudit(server.dir, { limit: 1000 }));
  for (const secret of [...wrong, reader, admin, 'hunter3', reader.slice(6)]) {
    expect(lines.join('\n')).not.toContain(secret);
    expect(audit).not.toContain(secret);
  }
});

describe('a token', () => {
  const claims = { sub: 'eve', aud: AUDIENCE, scope: 'admin' };
  const signed = async (header: object) => {
    const { privateKey, publicKey } = await generateKeyPair('RS256');
    const own = 'jwk' in header ? { jwk: await exportJWK(publicKey) } : {};
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', ...header, ...own })
      .setIssuer(issuer.url)
      .setExpirationTime('5m')
      .sign(privateKey);
  };

  it.each([
    ['a kid that is a path', { kid: '../../../../dev/null' }],
    ['a kid that is a query', { kid: "x' OR '1'='1" }],
    ['no kid', {}],
    ['the kid of a good key', { kid: 'first' }],
    ['its own key', { jwk: {}, kid: 'first' }],
    ['the address of its own keys', { jku: 'http://127.0.0.1:1/keys', kid: 'mine' }],
    ['the address of its own certificate', { x5u: 'http://127.0.0.1:1/cert', kid: 'mine' }],
    ['an unknown critical field', { crit: ['b64'], b64: true, kid: 'first' }],
  ])('with %s is refused', async (_, header) => {
    const { status, error } = await server.ask('GET', '/api/entities', { key: await signed(header) });
    expect([status, error?.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('that is huge is refused before it is read', async () => {
    const before = issuer.keyRequests();
    const { status } = await server.ask('GET', '/api/entities', { key: `${'a'.repeat(12_000)}.b.c` });
    expect(status).toBe(401);
    const larger = await server.ask('GET', '/api/entities', { key: `${'a'.repeat(40_000)}.b.c` });
    expect(larger.status).toBe(431);
    expect(issuer.keyRequests()).toBe(before);
  });
});

describe('what is hidden', () => {
  it('is not in pages that another caller has begun', async () => {
    const first = (await server.ask('GET', '/api/entities?limit=2', { key: admin })).json;
    expect(first.cursor).toBeDefined();
    const url = `/api/entities?limit=10&cursor=${encodeURIComponent(first.cursor)}`;
    const { status, json } = await server.ask('GET', url, { key: reader });
    expect([status, json === undefined ? [] : pathsOf(json)]).toEqual([200, expect.not.arrayContaining(['/b', '/d'])]);
    const own = (await server.ask('GET', '/api/entities?limit=2', { key: reader })).json;
    expect(JSON.stringify(own)).not.toContain('/b');
  });

  it('has no ETag and no 304', async () => {
    const { headers } = await server.ask('GET', '/api/entities/skill/b', { key: admin });
    for (const tag of ['*', headers.get('etag')!]) {
      const condition = { 'If-None-Match': tag };
      const hidden = await answered('/api/entities/skill/NAME', 'b', condition);
      expect(hidden[0]).toBe(404);
      expect(hidden).toEqual(await answered('/api/entities/skill/NAME', 'z', condition));
    }
  });

  it('is not what was probably meant', async () => {
    const hidden = await answered('/api/entities/skill/NAME', 'launch-plam');
    expect(JSON.stringify(hidden)).not.toContain('launch-plan');
    expect(hidden).toEqual(await answered('/api/entities/skill/NAME', 'quark-zebra'));
    const tool = await answered('/api/entities/tool/%2Fdeals%23NAME', 'close_deel');
    expect(JSON.stringify(tool)).not.toContain('close_deal');
  });

  it.each(['skill:/b', 'mcp_server:/deals', 'tool:/deals#close_deal'])('is not explained: %s', async (id) => {
    const why = async (why_not: string) => {
      const body = { query: 'x', why_not, explain: true };
      const { json } = await server.ask('POST', '/api/search/semantic', { key: reader, body });
      const { query_id: _, ...answer } = json;
      return JSON.stringify({ ...answer, processing_time_ms: 0 }).replaceAll(why_not, 'ID');
    };
    const [type] = id.split(':');
    expect(await why(id)).toBe(await why(`${type}:/nowhere`));
  });

  it('is not in the list of everything, and a reader gets no audit, metrics or vectors', async () => {
    expect(pathsOf((await server.ask('GET', '/api/entities?limit=100', { key: reader })).json)).toEqual([
      '/a',
      '/c',
      '/e',
    ]);
    for (const path of ['/api/audit', '/metrics', '/api/admin/embeddings/missing']) {
      expect((await server.ask('GET', path)).status).toBe(401);
      expect((await server.ask('GET', path, { key: reader })).status).toBe(403);
    }
  });

  it('is not in the events of memories', async () => {
    const headers = { Authorization: `Bearer ${reader}` };
    const stream = await fetch(`${server.url}/api/events`, { headers });
    let text = '';
    void (async () => {
      for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) text += part;
    })().catch(() => {});
    const store = (body: object) => server.ask('POST', '/api/memory:store', { key: admin, body });
    await store({ content: 'The merger is on', namespace: 'board' });
    await store({ content: 'The port is 7470' });
    await expect.poll(() => text).toContain('7470');
    expect(text).not.toContain('merger');
  });
});

it('has no MCP session that another caller could take over', async () => {
  const headers = { Accept: 'application/json, text/event-stream' };
  const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const clientInfo = { name: 'tests', version: '1' };
  const start = rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const begun = await server.ask('POST', '/mcp', { key: admin, headers, body: start });
  expect([begun.status, begun.headers.get('mcp-session-id')]).toEqual([200, null]);
  const body = rpc('tools/call', { name: 'get_details', arguments: { path: '/launch-plan' } });
  const own = await server.ask('POST', '/mcp', { key: admin, headers, body });
  expect(own.text).toContain('launch-plan');
  const session = { ...headers, 'Mcp-Session-Id': 'any' };
  const others = await server.ask('POST', '/mcp', { key: reader, headers: session, body });
  expect(others.text).toContain('NOT_FOUND');
});

/** The status of a request with this target, as it is sent. */
function statusOf(target: string, host = '127.0.0.1'): Promise<number> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1');
    const head = [`GET ${target} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${reader}`, 'Connection: close'];
    socket.on('data', (data) => resolve(Number(String(data).split(' ')[1])));
    socket.on('error', reject);
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
  });
}

it('checks the host of a target that is a whole address, not the header beside it', async () => {
  const targets = ['/health', 'http://127.0.0.1/health', 'http://evil.example/health', 'HTTP://evil.example:80/health'];
  expect(await Promise.all(targets.map((target) => statusOf(target)))).toEqual([200, 200, 403, 403]);
  expect(await statusOf('http://127.0.0.1/health', 'evil.example')).toBe(200);
  const wrong = ['http:///health', 'http://me@127.0.0.1/health', 'ftp://127.0.0.1/health', 'http://%zz/health', '*'];
  expect(await Promise.all(wrong.map((target) => statusOf(target)))).toEqual(wrong.map(() => 400));
});

it('tells admins alone how much others send', async () => {
  const health = async (key: string) => (await server.ask('GET', '/api/health', { key })).json.server;
  expect(await health(reader)).not.toHaveProperty('body_bytes');
  expect(await health(admin)).toHaveProperty('body_bytes', 0);
});

it('says in a dry run which memories may not be forgotten', async () => {
  const writers = ['ada', 'bob'].map((name) => server.key({ name, scopes: ['write'] }));
  for (const [n, key] of writers.entries()) {
    const body = { content: `The ferry ${n} leaves at noon`, tags: 'ferry' };
    await server.ask('POST', '/api/memory:store', { key, body });
  }
  const forget = (dry_run: boolean) =>
    server.ask('POST', '/api/memory:forget', { key: writers[0]!, body: { tags: ['ferry'], dry_run } });
  const { json } = await forget(true);
  expect(json).toMatchObject({ count: 2, refused: [expect.any(String)] });
  expect(json.message).toContain('1 of them may only be forgotten by others');
  expect((await forget(false)).status).toBe(403);
});
