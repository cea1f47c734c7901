import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/access/audit-record.ts';
import { readAudit } from '../../src/access/read-audit.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { skill } from '../support/skill.ts';

let server: AccessServer;
let writer: string;
let admin: string;
beforeEach(async () => {
  server = await accessServer();
  writer = server.key({ name: 'writer', groups: ['payments'], scopes: ['write'] });
  admin = server.key({ name: 'admin', scopes: ['admin'] });
});
afterEach(() => server.close());

const records = (): Promise<readonly AuditRecord[]> => readAudit(server.dir, { limit: 100 });
const lines = async () =>
  (await records()).map(({ who, action, ids, result }) => [who, action, ids.join(' '), result].join(' | ')).reverse();
const MCP = { Accept: 'application/json, text/event-stream' };
const call = (key: string, path: string, name: string, args: object) =>
  server.ask('POST', path, {
    key,
    headers: MCP,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });

describe('the audit log of a server', () => {
  it('has who changed what, from where, with which result', async () => {
    await server.ask('POST', '/api/entities', { key: writer, body: skill('/a') });
    await server.ask('PATCH', '/api/entities/skill/a', { key: writer, body: { description: 'y' } });
    await server.ask('POST', '/api/entities:batch', { key: writer, body: { entities: [skill('/b'), skill('/c')] } });
    await server.ask('POST', '/api/entities/skill/a/rate', { key: writer, body: { rating: 5 } });
    await server.ask('DELETE', '/api/entities/skill/b', { key: admin });
    await server.ask('DELETE', '/api/entities/skill/c', { headers: { 'x-request-id': 'mine' }, key: admin });
    expect(await lines()).toEqual([
      'key:writer | addEntity | skill:/a | done',
      'key:writer | patchEntity | skill:/a | done',
      'key:writer | putEntities | skill:/b skill:/c | done',
      'key:writer | rateEntity | skill:/a | done',
      'key:admin | deleteEntity | skill:/b | done',
      'key:admin | deleteEntity | skill:/c | done',
    ]);
    const [newest] = await records();
    expect(newest).toMatchObject({ request: 'mine', from: '127.0.0.1', ids_total: 1 });
  });

  it('has every refusal, and no reads', async () => {
    await server.registry.put(skill('/open', { owner: 'someone' }));
    await server.ask('GET', '/api/entities', { key: writer });
    await server.ask('POST', '/api/search/semantic', { key: writer, body: { query: 'x' } });
    await server.ask('GET', '/api/entities');
    await server.ask('GET', '/api/entities', { key: 'dwsr_wrong' });
    await server.ask('GET', '/api/audit', { key: writer });
    await server.ask('DELETE', '/api/entities/skill/open', { key: writer });
    await call(server.key({ name: 'reader' }), '/mcp', 'store_memory', { content: 'x' });
    expect(await lines()).toEqual([
      'anonymous | listEntities |  | UNAUTHENTICATED',
      'anonymous | listEntities |  | UNAUTHENTICATED',
      'key:writer | listAudit |  | INSUFFICIENT_SCOPE',
      'key:writer | deleteEntity | skill:/open | FORBIDDEN',
      'key:reader | tools/call store_memory |  | INSUFFICIENT_SCOPE',
    ]);
  });

  it('has what tools, memory routes and agents in a batch write, never their text', async () => {
    await call(writer, '/mcp', 'store_memory', { content: 'The vault opens at noon.' });
    await call(writer, '/mcp/memory', 'memory_store', { content: 'The vault closes at six.' });
    await server.ask('POST', '/api/memories', { key: writer, body: { content: 'The vault is red.' } });
    const card = { name: 'a', url: 'https://a.example.com', supportedProtocol: 'a2a', path: '/agent' };
    const batch = { items: [{ op: 'register', card }] };
    const { json } = await server.ask('POST', '/api/agents/batch', { key: writer, body: batch });
    const job = async () => (await server.ask('GET', json.status_url, { key: writer })).json;
    while ((await job()).state !== 'succeeded') await new Promise((resolve) => setTimeout(resolve, 5));
    const seen = await lines();
    const actions = seen.map((line) => line.replaceAll(/memory:\/~\w+\/\w+/g, 'memory:/~OWNER/HASH'));
    expect(actions.slice(0, 3)).toEqual([
      'key:writer | tools/call store_memory | memory:/~OWNER/HASH | done',
      'key:writer | tools/call memory_store | memory:/~OWNER/HASH | done',
      'key:writer | POST /api/memories | memory:/~OWNER/HASH | done',
    ]);
    expect(actions[3]).toMatch(/^key:writer \| submitAgentBatch \| a2a_agent:\S*agent \| (started|done)$/);
    expect(JSON.stringify(await records())).not.toContain('vault');
  });

  it('is for admins', async () => {
    await server.ask('POST', '/api/entities', { key: writer, body: skill('/a') });
    const { json } = await server.ask('GET', '/api/audit?who=key:writer&limit=1', { key: admin });
    expect(json).toMatchObject({ enabled: true, records: [{ action: 'addEntity', ids: ['skill:/a'] }] });
    expect((await server.ask('GET', '/api/audit?limit=0', { key: admin })).status).toBe(422);
    expect((await server.ask('GET', '/api/audit?since=soon', { key: admin })).status).toBe(422);
    expect(
      (await server.ask('GET', '/api/audit?since=2999-01-01T00:00:00%2B02:00', { key: admin })).json.records,
    ).toEqual([]);
  });
});

/** As a full disk, or where there is no such device as a folder that cannot be made. */
function fill(dir: string): () => void {
  const folder = join(dir, 'audit');
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync('/dev/full')) {
    writeFileSync(folder, '');
    return () => rmSync(folder);
  }
  mkdirSync(folder);
  symlinkSync('/dev/full', join(folder, 'audit.jsonl'));
  return () => rmSync(folder, { recursive: true });
}

it('stops writes while the log cannot be written, and reads go on', async () => {
  const empty = fill(server.dir);
  const put = () => server.ask('POST', '/api/entities', { key: writer, body: skill('/a') });
  const refused = await put();
  expect([refused.status, refused.error?.code]).toEqual([507, 'AUDIT_UNAVAILABLE']);
  expect((await call(writer, '/mcp', 'store_memory', { content: 'x' })).text).toContain('AUDIT_UNAVAILABLE');
  expect((await server.ask('GET', '/api/entities', { key: writer })).json.total_count).toBe(0);
  expect((await server.ask('GET', '/api/entities')).status).toBe(401);
  empty();
  expect((await put()).status).toBe(201);
  expect(await lines()).toContain('key:writer | addEntity | skill:/a | done');
});

it('records nothing where no credentials are needed', async () => {
  const open = await accessServer({ auth: false });
  await open.ask('POST', '/api/entities', { body: skill('/a') });
  expect((await open.ask('GET', '/api/audit')).json).toEqual({ enabled: false, records: [] });
  expect(existsSync(join(open.dir, 'audit'))).toBe(false);
  expect(existsSync(join(open.dir, 'keys.sqlite'))).toBe(false);
  await open.close();
});
