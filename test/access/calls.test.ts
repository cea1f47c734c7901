import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAudit } from '../../src/access/read-audit.ts';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { addServer } from '../support/called-registry.ts';
import { type HttpUpstream, httpUpstream } from '../support/http-upstream.ts';

vi.setConfig({ testTimeout: 60_000 });

const logged: unknown[] = [];
let server: AccessServer;
let upstream: HttpUpstream;
beforeEach(async () => {
  logged.length = 0;
  const log = (...said: unknown[]) => void logged.push(said);
  upstream = await httpUpstream('streamable');
  server = await accessServer({ call: 'read' }, undefined, { info: log, warn: log, error: log });
  await addServer(server.registry, server.dir, { url: upstream.url, name: 'far' });
  await server.registry.put({
    type: 'mcp_server',
    path: '/hidden',
    name: 'hidden',
    visibility: 'private',
    owner: 'ada',
    tools: [{ name: 'echo' }],
  });
});
afterEach(async () => {
  await server.close();
  await upstream.close();
});

const MCP = { Accept: 'application/json, text/event-stream' };
const overMcp = (key: string, name: string, args: object) =>
  server.ask('POST', '/mcp/call', {
    key,
    headers: MCP,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });
const overRest = (key: string, body: object) => server.ask('POST', '/api/call', { key, body });
const lines = async () =>
  (await readAudit(server.dir, { limit: 100 }))
    .map(({ who, action, ids, result }) => [who, action, ids.join(' '), result].join(' | '))
    .reverse();

describe('calls of tools in the audit log', () => {
  it('have who called what, with which result, also those that were refused, once each', async () => {
    const caller = server.key({ name: 'caller', scopes: ['read', 'call:read'] });
    const other = server.key({ name: 'other', scopes: ['read', 'call:read'], servers: ['/elsewhere'] });
    await overRest(caller, { path: '/far#echo', arguments: { text: 'x' } });
    await overMcp(caller, 'call_read_tool', { path: '/far#count' });
    await overRest(caller, { path: '/far#write', arguments: { text: 'x' } });
    await overMcp(caller, 'call_tool', { path: '/far#write' });
    await overRest(caller, { path: '/far#echo', arguments: { text: 3 } });
    await overRest(caller, { path: '/far#echo', definition: '000000000000' });
    await overRest(caller, { path: '/hidden#echo' });
    await overRest(caller, { path: '/nowhere#echo' });
    await overRest(other, { path: '/far#echo' });
    await overMcp(server.key({ name: 'reader' }), 'call_tool', { path: '/far#echo' });
    expect(await lines()).toEqual([
      'key:caller | callTool | tool:/far#echo | done',
      'key:caller | tools/call call_read_tool | tool:/far#count | done',
      'key:caller | callTool | tool:/far#write | CLASS_REFUSED',
      'key:caller | tools/call call_tool | tool:/far#write | CLASS_REFUSED',
      'key:caller | callTool | tool:/far#echo | INVALID_ARGUMENTS',
      'key:caller | callTool | tool:/far#echo | DRIFTED',
      'key:caller | callTool |  | NOT_FOUND',
      'key:caller | callTool |  | NOT_FOUND',
      'key:other | callTool | tool:/far#echo | FORBIDDEN',
      'key:reader | tools/call call_tool |  | INSUFFICIENT_SCOPE',
    ]);
    expect(upstream.log.filter((line) => line.startsWith('call '))).toEqual(['call echo', 'call count']);
  });

  it('have no value of an argument, and neither has the log of the server', async () => {
    const caller = server.key({ name: 'caller', scopes: ['read', 'call:read'] });
    const planted = 'planted-value-7c1';
    await overRest(caller, { path: '/far#echo', arguments: { text: planted } });
    await overMcp(caller, 'call_read_tool', { path: '/far#echo', arguments: { text: planted } });
    await overMcp(caller, 'call_tool', { path: '/far#write', arguments: { text: planted } });
    await overRest(caller, { path: '/far#refuse', arguments: { text: planted } });
    const audit = readFileSync(join(server.dir, 'audit', 'audit.jsonl'), 'utf8');
    expect(audit).toContain('"argument_names":["text"]');
    expect(audit).not.toContain(planted);
    expect(JSON.stringify(logged)).not.toContain(planted);
  });
});

describe('a caller that leaves', () => {
  it.each([
    ['POST /api/call', '/api/call', { path: '/far#hang' }],
    [
      'call_read_tool over MCP',
      '/mcp/call',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'call_read_tool', arguments: { path: '/far#hang' } },
      },
    ],
  ])('has its call cancelled at the server of the tool: %s', async (_, path, body) => {
    const key = server.key({ name: 'caller', scopes: ['read', 'call:read'] });
    const headers = { ...MCP, 'Content-Type': 'application/json', Authorization: `Bearer ${key}` };
    const sent = httpRequest(`${server.url}${path}`, { method: 'POST', headers });
    sent.on('error', () => {});
    sent.end(JSON.stringify(body));
    await vi.waitFor(() => expect(upstream.log).toContain('call hang'), { timeout: 30_000 });
    sent.destroy();
    await vi.waitFor(() => expect(upstream.log).toContain('cancelled hang'), { timeout: 30_000 });
    await vi.waitFor(async () => expect((await lines()).at(-1)).toContain('| tool:/far#hang | CANCELLED'), {
      timeout: 30_000,
    });
  });
});
