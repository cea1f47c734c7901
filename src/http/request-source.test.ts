import { describe, expect, it } from 'vitest';
import { appWith } from '../../test/support/test-app.ts';

describe('a server', () => {
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
      await send('PUT', '/api/entities/mcp_server//context7', { name: 'Context7' }, box),
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
