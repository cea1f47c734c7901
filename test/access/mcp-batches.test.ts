import { afterEach, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
afterEach(() => server.close());

const batch = (key: string, calls: number, path: string) =>
  server.ask('POST', path, {
    key,
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-03-26' },
    body: Array.from({ length: calls }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'weather' } },
    })),
  });

it.each(['/mcp', '/mcp/docs/teas'])('counts each call of a batch to %s as a request', async (path) => {
  server = await accessServer({ rate_limit: 1, max_requests_per_caller: 0 });
  const writer = server.key({ name: 'writer', scopes: ['write'] });
  await server.ask('POST', '/api/collections', { key: writer, body: { name: 'teas' } });
  const refused = await batch(server.key({ name: 'heavy' }), 100, path);
  expect([refused.status, refused.error?.code, Number(refused.headers.get('retry-after')) > 0]).toEqual([
    429,
    'TOO_MANY_REQUESTS',
    true,
  ]);
  expect(refused.error?.hint).toContain('smaller batch');
  const answered = await batch(server.key({ name: 'light' }), 5, path);
  expect([answered.status, answered.text.match(/"id":\d/g)?.length]).toEqual([200, 5]);
});
