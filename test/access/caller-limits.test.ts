import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
const uploads: ClientRequest[] = [];
afterEach(async () => {
  for (const upload of uploads.splice(0)) upload.destroy();
  await server.close();
});

/** A request that stays at work until its body is sent. */
function upload(key: string): ClientRequest {
  const sent = request(`${server.url}/api/search/semantic`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Content-Length': 13 },
  });
  sent.on('error', () => {});
  sent.flushHeaders();
  uploads.push(sent);
  return sent;
}

const limited = async (key: string) => (await server.ask('GET', '/metrics', { key })).text;

describe('a heavy caller', () => {
  it('is told 429 while others are served, and served again when its requests end', async () => {
    server = await accessServer({ max_requests_per_caller: 3, rate_limit: 0 });
    const heavy = server.key({ name: 'heavy' });
    const light = server.key({ name: 'light' });
    const admin = server.key({ name: 'admin', scopes: ['admin'] });
    const first = upload(heavy);
    upload(heavy);
    upload(heavy);
    const list = (key: string) => server.ask('GET', '/api/entities', { key });
    await expect.poll(async () => (await list(heavy)).status).toBe(429);
    const refused = await list(heavy);
    expect([refused.error?.code, refused.headers.get('retry-after')]).toEqual(['TOO_MANY_REQUESTS', '1']);
    expect((await list(light)).status).toBe(200);
    expect((await server.ask('POST', '/api/search/semantic', { key: light, body: { query: 'x' } })).status).toBe(200);
    const standard = await server.ask('POST', '/ard/search', { key: heavy, body: {} });
    expect([standard.status, standard.json.errorCode]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect((await server.ask('GET', '/api/health', { key: heavy })).status).toBe(200);
    expect(await limited(admin)).toMatch(/dowser_requests_limited_total\{limit="in_flight"\} [1-9]/);
    first.end('{"query":"x"}');
    const [answer] = await once(first, 'response');
    expect(answer.statusCode).toBe(200);
    await expect.poll(async () => (await list(heavy)).status).toBe(200);
  });

  it('may send so many in a second, whether or not it has the right', async () => {
    server = await accessServer({ rate_limit: 1, max_requests_per_caller: 0 });
    const heavy = server.key({ name: 'heavy' });
    const light = server.key({ name: 'light' });
    const statuses = async (path: string, key: string | undefined) =>
      Promise.all(Array.from({ length: 40 }, async () => (await server.ask('GET', path, { key })).status));
    const asked = await statuses('/api/entities', heavy);
    expect(new Set(asked)).toEqual(new Set([200, 429]));
    expect(asked.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
    expect(await statuses('/api/audit', heavy)).toContain(429);
    expect((await server.ask('GET', '/api/entities', { key: light })).status).toBe(200);
    expect(new Set(await statuses('/ready', undefined))).toEqual(new Set([200]));
  });

  it('that guesses credentials is limited by its address, and callers with good ones are not', async () => {
    server = await accessServer({ rate_limit: 1 });
    const good = server.key({ name: 'good' });
    const guesses = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, i) => (await server.ask('GET', '/api/entities', { key: `guess-${i}` })).status,
      ),
    );
    expect(new Set(guesses)).toEqual(new Set([401, 429]));
    expect((await server.ask('GET', '/api/entities', { key: good })).status).toBe(200);
  });
});

it('has limits by default where credentials are needed', async () => {
  server = await accessServer();
  const heavy = server.key({ name: 'heavy' });
  for (let i = 0; i < 64; i++) upload(heavy);
  await expect.poll(async () => (await server.ask('GET', '/api/entities', { key: heavy })).status).toBe(429);
});
