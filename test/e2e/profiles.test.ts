import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SearchResponse } from '../../src/model/answer/result.ts';
import { MAIN, Sandbox, SERVERS } from './cli-process.ts';
import { currentClient } from './mcp-clients.ts';

vi.setConfig({ testTimeout: 180_000 });

const CATALOG = [
  ...SERVERS,
  {
    type: 'mcp_server',
    path: '/mailroom',
    name: 'Mailroom',
    description: 'Sends letters and parcels',
    tags: ['mail', 'paper'],
    tools: [
      { name: 'send_letter', description: 'Send a letter on paper' },
      { name: 'burn_letter', description: 'Burn a letter for good' },
    ],
  },
  {
    type: 'tool',
    path: '/loose/weigh',
    name: 'weigh',
    description: 'Weigh a letter before you send a mail',
    tags: ['mail'],
  },
  {
    type: 'virtual_server',
    path: '/virtual/desk',
    name: 'Desk',
    tool_mappings: [
      { tool_name: 'burn_letter', alias: 'get_rid_of', backend_server_path: '/mailroom' },
      { tool_name: 'send_letter', backend_server_path: '/mailroom' },
    ],
  },
];

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
  const { code } = await sandbox.run(['import', await sandbox.file('catalog.jsonl', CATALOG)]);
  expect(code).toBe(0);
});
afterEach(() => sandbox.close());

const json = async (...args: readonly string[]) => JSON.parse((await sandbox.run([...args, '--json'])).stdout);
const found = async (url: string, query: string): Promise<readonly string[]> => {
  const body = JSON.stringify({ query, entity_types: ['tool'], max_results: 50 });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/search/semantic`, { method: 'POST', headers, body });
  return ((await answer.json()) as SearchResponse).results.map(({ path }) => path);
};
/** A rule is followed within a quarter of a second. */
const follows = () => new Promise((resolve) => setTimeout(resolve, 300));

describe('a profile', () => {
  it('is an endpoint that finds, reads and lists only what it is for', async () => {
    const { url, stop } = await sandbox.serve();
    expect(await json('profile', 'set', 'mail', '--tag', 'mail', '--type', 'mcp_server', '--max-tokens', '60')).toEqual(
      {
        name: 'mail',
        endpoint: '/mcp/p/mail',
        profile: { types: ['mcp_server'], tags: ['mail'], toolset: 'agent', max_tokens: 60 },
        dry_run: false,
      },
    );
    const client = await currentClient(new URL('/mcp/p/mail', url));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['search_tools', 'get_details']);
    const search = async (query: string) => {
      const { content, structuredContent } = await client.call('search_tools', { query, k: 50 });
      const { results } = structuredContent as { readonly results: readonly { readonly path: string }[] };
      expect(content[0]!.text!.length).toBeLessThan(400);
      return results.map(({ path }) => path);
    };
    expect(await search('send a mail')).toContain('/postbox#send_mail');
    // No tool of a server.
    expect(await search('weigh a letter')).not.toContain('/loose/weigh');
    expect((await client.call('get_details', { path: '/loose/weigh' })).isError).toBe(true);
    expect(await search('read a web page')).not.toContain('/page-reader#read_page');
    expect((await client.call('get_details', { path: '/postbox' })).isError).toBeUndefined();
    expect((await client.call('get_details', { path: '/page-reader' })).isError).toBe(true);
    expect((await client.call('get_details', { path: '/page-reader#read_page' })).isError).toBe(true);

    await json('profile', 'set', 'mail', '--server', 'page-reader', '--toolset', 'registry');
    const again = await currentClient(new URL('/mcp/p/mail', url));
    const { structuredContent } = await again.call('list_services', {});
    expect(structuredContent).toMatchObject({ total_count: 1, services: [{ path: '/page-reader' }] });
    expect((await again.listTools()).map(({ name }) => name)).not.toContain('recommend');
    await Promise.all([client.close(), again.close()]);

    const unknown = await fetch(`${url}/mcp/p/mial`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain("Did you mean 'mail'?");
    await stop('SIGTERM');
  });

  it('is served over standard input and output too, calls nothing outside, and is removed', async () => {
    const misspelt = await sandbox.run([
      'profile',
      'set',
      'desk',
      '--server',
      '/mailrom',
      '--server',
      '/mailroom',
      '--dry-run',
    ]);
    expect([misspelt.code, misspelt.stderr]).toEqual([
      0,
      "warning: Nothing is registered at '/mailrom'. Did you mean '/mailroom'?\n",
    ]);
    expect((await sandbox.run(['profile', 'set', 'desk', '--server', '/postbox', '--toolset', 'call'])).code).toBe(0);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: sandbox.dir,
      DOWSER_DATA: sandbox.data,
      EMBEDDINGS_PROVIDER: 'off',
    };
    const args = [MAIN, 'mcp', '--profile', 'desk', '--call', 'destructive'];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' }));
    const { structuredContent } = await client.callTool({ name: 'search_tools', arguments: { query: 'letter' } });
    expect(JSON.stringify(structuredContent)).not.toContain('/mailroom');
    const call = async (path: unknown) =>
      JSON.stringify(await client.callTool({ name: 'call_tool', arguments: { path, name: '/mailroom#send_letter' } }));
    expect(await call('/mailroom#send_letter')).toContain('There is no tool at');
    expect(await call('/postbox#send_mail')).toContain('NOT_CALLABLE');
    await client.close();
    expect(await json('profile', 'remove', 'desk', '--dry-run')).toMatchObject({ dry_run: true });
    expect(Object.keys((await json('profile', 'list')).profiles)).toEqual(['desk']);
    await json('profile', 'remove', 'desk');
    expect(await json('profile', 'list')).toEqual({ profiles: {} });
    expect((await sandbox.run(['mcp', '--profile', 'desk'])).stderr).toContain('There is no profile "desk".');
  });

  it.each([
    [['set', 'Bad Name', '--tag', 'x'], 'cannot be that of a profile'],
    [['set', 'p', '--type', 'gadget'], 'must be some of'],
    [['set', 'p', '--max-tokens', '7'], 'must be from 50 to 100000'],
    [['set', 'p', '--max-tokens', 'many'], 'max_tokens'],
    [['drop', 'p'], 'There is no action'],
    [['create', 'p', '--tag', 'x'], 'Did you mean set?'],
    [['delete', 'p'], 'Did you mean remove?'],
    [['show', 'p'], 'Did you mean list?'],
  ])('is refused with %j', async (args, message) => {
    const { code, stderr } = await sandbox.run(['profile', ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    await expect(readFile(join(sandbox.data, 'profiles.json'))).rejects.toThrow('ENOENT');
  });
});

describe('a denied tool', () => {
  it('is in no search and no list, also under the name of a virtual server, until it is allowed', async () => {
    const { url, stop } = await sandbox.serve();
    const all = [
      '/loose/weigh',
      '/mailroom#burn_letter',
      '/mailroom#send_letter',
      '/virtual/desk#get_rid_of',
      '/virtual/desk#send_letter',
    ];
    expect([...(await found(url, 'letter'))].sort()).toEqual(all);
    expect((await sandbox.run(['call', 'deny', '/mailroom', '--tools', 'burn_letter'])).code).toBe(0);
    await follows();
    const left = ['/loose/weigh', '/mailroom#send_letter', '/virtual/desk#send_letter'];
    expect([...(await found(url, 'letter'))].sort()).toEqual(left);
    const client = await currentClient(new URL('/mcp', url));
    const details = JSON.stringify(await client.call('get_details', { path: '/mailroom' }));
    expect(details).toContain('send_letter');
    expect(details).not.toContain('burn_letter');
    for (const path of ['/mailroom#burn_letter', '/virtual/desk#get_rid_of']) {
      expect((await client.call('get_details', { path })).isError).toBe(true);
    }
    await client.close();
    const tools = await (await fetch(`${url}/api/servers/mailroom/tools`)).text();
    expect([tools.includes('send_letter'), tools.includes('burn_letter')]).toEqual([true, false]);
    expect(await json('get', '/mailroom')).toMatchObject({ denied_tools: ['burn_letter'] });
    await sandbox.run(['call', 'allow', '/mailroom', '--tools', 'burn_letter']);
    await follows();
    expect([...(await found(url, 'letter'))].sort()).toEqual(all);
    await stop('SIGTERM');
  });
});

it('no tool is shown while calls.json cannot be read: a search fails, and a server does not start', async () => {
  await writeFile(join(sandbox.data, 'calls.json'), '{"/mailroom": {"deny": ["burn_letter"]}');
  for (const args of [
    ['search', 'letter'],
    ['get', '/mailroom'],
    ['serve', '--port', '0'],
  ]) {
    const { code, stdout, stderr } = await sandbox.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('calls.json cannot be read: no tool may be called or shown.');
  }
  await expect(sandbox.run(['mcp'])).resolves.toMatchObject({ code: 2 });
});

describe('approve and block', () => {
  it('close an entity to every search until an admin approves it, and say who and when', async () => {
    expect(await json('block', '/mailroom', '--reason', 'burns letters', '--dry-run')).toMatchObject({ dry_run: true });
    expect((await sandbox.run(['search', 'letters and parcels'])).stdout).toContain('/mailroom');
    await json('block', '/mailroom', '--reason', 'burns letters');
    expect((await sandbox.run(['search', 'letters and parcels'])).stdout).not.toContain('/mailroom');
    const review = { decision: 'blocked', by: 'local', at: expect.stringMatching(/^20/), reason: 'burns letters' };
    expect(await json('get', '/mailroom')).toMatchObject({ review, entity: { is_enabled: false } });
    const again = await sandbox.run([
      'import',
      await sandbox.file('again.jsonl', [{ ...CATALOG[3], is_enabled: true }]),
    ]);
    expect(again.code).not.toBe(0);
    expect(again.stderr + again.stdout).toContain('was blocked by local (burns letters)');
    await json('approve', '/mailroom');
    expect((await sandbox.run(['search', 'letters and parcels'])).stdout).toContain('/mailroom');
    await sandbox.run(['import', await sandbox.file('draft.jsonl', [{ ...CATALOG[3], status: 'draft' }])]);
    await json('approve', '/mailroom');
    expect(await json('get', '/mailroom')).toMatchObject({ entity: { status: 'active' } });
  });
});
