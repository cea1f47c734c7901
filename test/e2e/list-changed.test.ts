import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { MAIN, Sandbox } from './cli-process.ts';

let sandbox: Sandbox;
let server: Awaited<ReturnType<Sandbox['serve']>>;
const clients: Client[] = [];
beforeAll(async () => {
  sandbox = await Sandbox.open();
  server = await sandbox.serve();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await sandbox.close();
});

const stdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'mcp'],
    env: { PATH: process.env.PATH ?? '', HOME: sandbox.dir, DOWSER_DATA: sandbox.data, EMBEDDINGS_PROVIDER: 'off' },
    stderr: 'ignore',
  });
const http = () => new StreamableHTTPClientTransport(new URL('/mcp', server.url));

/** A client that asks to be told of changes, as far as the server claims to tell. */
async function listening(transport: Transport, mode: 'legacy' | 'modern') {
  const heard: string[] = [];
  const told = (list: string) => ({ autoRefresh: false, onChanged: () => void heard.push(list) });
  const client = new Client(
    { name: 'tests', version: '1' },
    {
      versionNegotiation: { mode: mode === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      listChanged: { tools: told('tools'), resources: told('resources') },
    },
  );
  clients.push(client);
  await client.connect(transport);
  const { tools, resources } = client.getServerCapabilities() ?? {};
  return { heard, claims: [tools?.listChanged, resources?.listChanged] };
}

it('official clients are told of changes on every transport that claims it', { timeout: 90_000 }, async () => {
  const older = await listening(http(), 'legacy');
  expect(older.claims).toEqual([false, false]);
  const all = [
    await listening(http(), 'modern'),
    await listening(stdio(), 'legacy'),
    await listening(stdio(), 'modern'),
  ];
  expect(all.map(({ claims }) => claims)).toEqual([
    [true, true],
    [true, true],
    [true, true],
  ]);
  const skill = { type: 'skill', path: '/skills/late' } as const;
  await createClient({ baseUrl: server.url }).putEntity({
    params: skill,
    body: { type: 'skill', name: 'late', description: 'Comes late', body: 'Late.' },
  });
  const heard = () => all.map((client) => [...new Set(client.heard)].sort());
  await expect.poll(heard, { interval: 500 }).toEqual(all.map(() => ['resources', 'tools']));
  expect(older.heard).toEqual([]);
});
