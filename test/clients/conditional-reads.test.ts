import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ONE_OF_EACH } from '../support/one-of-each.ts';
import { type ServedRegistry, serveRegistry } from '../support/served-registry.ts';

let served: ServedRegistry;
let hash: string;

beforeEach(async () => {
  served = await serveRegistry();
  await served.registry.putMany(ONE_OF_EACH);
  hash = (await served.send('POST', '/api/memory:store', { content: 'Tea is at four.' })).json.content_hash;
  await served.send('POST', '/api/collections', { name: 'guides' });
});
afterEach(() => served.close());

const read = (path: string, tag?: string, method = 'GET') =>
  served.ask(method, path, tag === undefined ? {} : { headers: { 'If-None-Match': tag } });

describe('a read with If-None-Match', () => {
  it.each([
    '/api/entities/mcp_server//clock',
    '/api/servers/clock',
    '/api/agents/agent',
    '/api/skills/zip',
    '/api/virtual-servers/dev',
    '/api/memories/{hash}',
    '/api/collections/guides',
  ])('of %s answers 304 if its reader has the answer', async (route) => {
    const path = route.replace('{hash}', hash);
    const first = await read(path);
    const etag = first.headers.get('etag')!;
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{22}\.[\w-]{22}"$/)]);
    for (const tag of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const again = await read(path, tag);
      expect([tag, again.status, again.json, again.headers.get('etag')]).toEqual([tag, 304, undefined, etag]);
    }
    expect((await read(path, '"other"')).status).toBe(200);
    expect((await read(path, etag, 'HEAD')).status).toBe(304);
  });

  it('answers in full once the entity has changed', async () => {
    const etag = (await read('/api/servers/clock')).headers.get('etag')!;
    await served.registry.patch('mcp_server', '/clock', { description: 'new' });
    expect((await read('/api/servers/clock', etag)).json.description).toBe('new');
  });

  it('answers in full after a rating, which leaves the tag of the entity as it is', async () => {
    const etag = (await read('/api/servers/clock')).headers.get('etag')!;
    await served.registry.rate('mcp_server', '/clock', { rating: 4 });
    expect((await read('/api/servers/clock', etag)).json.num_stars).toBe(4);
    const headers = { 'Content-Type': 'application/json', 'If-Match': etag };
    const changed = await served.ask('PATCH', '/api/servers/clock', { headers, body: '{"description":"new"}' });
    expect(changed.status).toBe(200);
  });

  it('does not give one projection for another', async () => {
    const etag = (await read('/api/servers/clock')).headers.get('etag')!;
    await served.registry.patch('mcp_server', '/clock', { metadata: { a: 1, b: 2 } });
    const whole = (await read('/api/servers/clock')).headers.get('etag')!;
    expect(whole).not.toBe(etag);
    expect((await read('/api/servers/clock?metadata_fields=a', whole)).json.metadata).toEqual({ a: 1 });
  });

  it('of what is not there answers 404', async () => {
    expect((await read('/api/entities/skill//none', '*')).status).toBe(404);
  });
});
