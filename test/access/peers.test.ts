import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const WORDS = ['invoice', 'ledger', 'weather', 'mail', 'plan', 'secret'] as const;
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));

let house: AccessServer;
/** The same without credentials, open to the network. */
let open: AccessServer;
/** Two other Dowsers: one has entities that strangers may not read, and one has none of these. */
let withHidden: AccessServer;
let without: AccessServer;
let asked: AccessServer;
let requests = 0;
/** Both are reached at one address. */
const door = createServer(async (request, response) => {
  requests++;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = { 'Content-Type': 'application/json', ...key(request.headers.authorization) };
  const answer = await fetch(asked.url + request.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
});
const key = (authorization: string | undefined) =>
  authorization === undefined ? {} : { Authorization: authorization };

const shared = (path: string, description: string) => ({
  type: 'mcp_server',
  path,
  name: path.slice(1),
  description,
  tools: [{ name: 'make_invoice', description: 'Makes an invoice' }],
});

let member: string;
let stranger: string;
beforeAll(async () => {
  [withHidden, without] = await Promise.all([
    accessServer({ anonymous_read: true }),
    accessServer({ anonymous_read: true }),
  ]);
  for (const peer of [withHidden, without])
    await peer.registry.put(shared('/ledger', 'Keeps a ledger of every invoice'));
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const settings = {
    peer_search: 'always',
    peer_timeout_ms: 10_000,
    rate_limit: 0,
    max_requests_per_caller: 0,
  };
  const forResearch = { name: 'other', url, kind: 'dowser', groups: ['research'] };
  const forAll = { name: 'all', url, kind: 'dowser' };
  house = await accessServer({ ...settings, anonymous_read: true, peers: [forResearch] });
  open = await accessServer({
    ...settings,
    auth: false,
    host: '0.0.0.0',
    open_access: true,
    peers: [forResearch, forAll],
  });
  for (const server of [house, open]) await server.registry.put(shared('/mail', 'Sends mail with an invoice'));
  member = house.key({ name: 'ann', scopes: ['read'], groups: ['research'] });
  stranger = house.key({ name: 'bob', scopes: ['read'], groups: ['sales'] });
});
afterAll(async () => {
  door.closeAllConnections();
  door.close();
  for (const server of [house, open, withHidden, without]) await server.close();
});

/** What a caller of the house gets, whichever of the two is asked. */
async function answersOf(query: string, caller: string | undefined, server = house) {
  const options = caller === undefined ? {} : { key: caller };
  const search = (body: object) => server.ask('POST', '/api/search/semantic', { ...options, body });
  const mcp = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_tools', arguments: { query } },
  };
  const headers = { Accept: 'application/json, text/event-stream' };
  const all = await Promise.all([
    search({ query }),
    search({ query, peers: true, explain: true }),
    search({ query, peers: true, entity_types: ['tool'], max_results: 1 }),
    server.ask('POST', '/mcp', { ...options, headers, body: mcp }),
  ]);
  return all.map(({ status, json, text: raw }) => [status, json ?? raw]);
}

async function both(query: string, caller: string | undefined, server: AccessServer) {
  asked = withHidden;
  const first = await answersOf(query, caller, server);
  asked = without;
  return [first, await answersOf(query, caller, server)] as const;
}

const hidden = fc.record({
  description: text,
  visibility: fc.constantFrom('private', 'group-restricted'),
  name: fc.constantFrom('invoice', 'ledger', 'secret'),
  tags: fc.subarray(['plan', 'mail']),
});

describe('between what a peer hides and what it does not have', () => {
  const CALLERS: readonly (readonly [string, () => string | undefined, boolean, () => AccessServer])[] = [
    ['a caller who may have it asked', () => member, true, () => house],
    ['a caller of another group', () => stranger, false, () => house],
    ['a caller without credentials', () => undefined, false, () => house],
    ['a caller over the network, where everyone may read', () => undefined, false, () => open],
  ];
  it.each(CALLERS)('there is no difference for %s', async (_, callerOf, mayAsk, serverOf) => {
    const before = requests;
    await fc.assert(
      fc.asyncProperty(fc.array(hidden, { maxLength: 3 }), text, async (entities, query) => {
        const groups = ['elsewhere'];
        const stored = entities.map((entity, at) => ({
          ...{ type: 'mcp_server', path: `/hidden-${at}`, owner: 'carol', allowed_groups: groups },
          ...entity,
        }));
        await withHidden.registry.putMany(stored);
        const [first, second] = await both(query, callerOf(), serverOf());
        expect(first).toEqual(second);
        for (const { path } of stored) await withHidden.registry.delete('mcp_server', path);
      }),
      { numRuns: 40 },
    );
    expect(requests > before).toBe(mayAsk);
  });

  it('a caller who may not have it asked gets the answers of a server without peers', async () => {
    asked = withHidden;
    const own = await house.ask('POST', '/api/search/semantic', {
      key: stranger,
      body: { query: 'invoice', peers: false },
    });
    const always = await house.ask('POST', '/api/search/semantic', { key: stranger, body: { query: 'invoice' } });
    expect(always.json).toEqual(own.json);
    const health = async (caller: string) => (await house.ask('GET', '/api/health', { key: caller })).json.peers;
    expect(await health(stranger)).toBeUndefined();
    expect((await open.ask('GET', '/api/health')).json.peers).toBeUndefined();
    const admin = house.key({ name: 'root', scopes: ['admin'] });
    expect([await health(member), await health(admin)]).toEqual([
      [expect.objectContaining({ name: 'other' })],
      [expect.objectContaining({ name: 'other' })],
    ]);
  });

  it('a caller who may have it asked finds what the peer shows, over MCP too', async () => {
    asked = without;
    const [rest, , , mcp] = await answersOf('ledger', member);
    expect(JSON.stringify(rest)).toContain('peer:other/ledger');
    expect(JSON.stringify(mcp)).toContain('peer:other/ledger');
  });

  it('and what is hidden here takes the place of nothing that a peer shows', async () => {
    asked = without;
    const url = 'https://billing.example.com/mcp';
    await house.registry.put({
      ...shared('/own', 'Billing of an invoice'),
      url,
      visibility: 'private',
      owner: 'carol',
    });
    await without.registry.put({ ...shared('/billing', 'Billing of an invoice'), url });
    const search = async (caller: string): Promise<readonly string[]> => {
      const body = { query: 'billing invoice' };
      const { json } = await house.ask('POST', '/api/search/semantic', { key: caller, body });
      return json.results.map(({ path }: { path: string }) => path);
    };
    expect(await search(member)).toContain('peer:other/billing');
    const admin = house.key({ name: 'boss', scopes: ['admin'] });
    expect(await search(admin)).toContain('/own');
    expect(await search(admin)).not.toContain('peer:other/billing');
  });
});
