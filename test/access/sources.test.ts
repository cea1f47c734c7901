import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

let server: AccessServer;
beforeEach(async () => {
  server = await accessServer({ rate_limit: 0 });
});
afterEach(() => server.close());

const SOURCE = { kind: 'mcp', locator: { command: 'node', args: ['clock.js'] } } as const;
const clock = (path: string, description: string) => ({
  part: '',
  entity: { type: 'mcp_server', path, name: 'clock', description, tools: [{ name: 'now', description }] },
});
const state = async () => [
  (await server.registry.page({ limit: 10 })).entities.map(({ entity }) => entity),
  await server.registry.sources(),
];

// Who may name a source may take it from another, and have its program trusted.
it.each(['read', 'write'] as const)('stores no reading of a source for a key with the scope %s', async (scope) => {
  const observe = (key: string, observation: object) =>
    server.ask('POST', '/api/observations', { key, body: { source: SOURCE, ...observation } });
  const admin = server.key({ name: 'chief', scopes: ['admin'] });
  expect((await observe(admin, { entities: [clock('/clock', 'The time.')] })).status).toBe(200);
  const before = await state();
  const key = server.key({ name: 'bob', scopes: [scope] });
  for (const observation of [
    { entities: [clock('/clock', 'Forged.')], take_over: true, live: true },
    { entities: [clock('/mine', 'The same source.')] },
    { source: { kind: 'mcp', locator: { command: 'sh' } }, entities: [clock('/new', 'Another source.')] },
    { entities: [clock('/new', 'Only asked.')], dry_run: true },
    { missing: [{ type: 'mcp_server', path: '/clock', error: 'Gone.' }] },
    { withdrawn: [{ type: 'mcp_server', path: '/clock' }] },
  ]) {
    const { status, json } = await observe(key, observation);
    expect([status, json.error]).toEqual([
      403,
      expect.objectContaining({
        code: 'INSUFFICIENT_SCOPE',
        message: "This needs the scope 'admin'.",
        hint: 'Use a key or a token with this scope, or ask an admin for it.',
        details: { scope: 'admin' },
      }),
    ]);
  }
  expect(await state()).toEqual(before);
});
