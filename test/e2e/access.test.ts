import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { skill } from '../support/skill.ts';
import { Sandbox } from './cli-process.ts';

/** Many processes, one after the other. */
const MINUTES = 180_000;

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

async function newKey(name: string, ...more: readonly string[]): Promise<string> {
  const { stdout, stderr } = await sandbox.run(['key', 'create', '--name', name, '--json', ...more]);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { readonly key: string }).key;
}

const GROUP = { visibility: 'group-restricted', allowed_groups: ['payments'] };
const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const HELLO = `${message(0, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'tests', version: '1' },
})}${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`;

/** One session of `dowser mcp`: the tools it lists, and the answers to two calls. */
async function session(key: string | undefined) {
  const call = (id: number, name: string, args: object) => message(id, 'tools/call', { name, arguments: args });
  const input =
    HELLO +
    message(1, 'tools/list', {}) +
    call(2, 'search_tools', { query: 'pay' }) +
    call(3, 'store_memory', { content: 'The vault is red.' });
  const env = key === undefined ? {} : { DOWSER_KEY: key };
  const { code, stdout, stderr } = await sandbox.run(['mcp'], env, input);
  const answers = new Map(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .map((answer) => [answer.id, answer]),
  );
  return {
    code,
    stderr,
    tools: (answers.get(1)?.result?.tools ?? []).map(({ name }: { name: string }) => name) as string[],
    found: JSON.stringify(answers.get(2) ?? ''),
    stored: JSON.stringify(answers.get(3) ?? ''),
  };
}

it('demands keys of requests, and of no command of its own user', async () => {
  await mkdir(sandbox.data);
  await writeFile(join(sandbox.data, 'config.json'), '{"auth": true}');
  await sandbox.run(['import', await sandbox.file('a.jsonl', [skill('/pay', GROUP), skill('/open')])]);
  const server = await sandbox.serve();
  expect(server.output.stdout).toContain('requests need an API key or a token');
  const status = async (key?: string) =>
    (
      await fetch(`${server.url}/api/entities`, {
        headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      })
    ).status;
  expect(await status()).toBe(401);
  const key = await newKey('ci');
  expect(await status(key)).toBe(200);
  expect((await sandbox.run(['list'])).stdout).toContain('/pay');
  const limited = await sandbox.run(['list'], { DOWSER_KEY: key });
  expect(limited.stdout).toContain('/open');
  expect(limited.stdout).not.toContain('/pay');
  expect((await sandbox.run(['delete', 'skill:/open'], { DOWSER_KEY: key })).stderr).toContain(
    "needs the scope 'write'",
  );
  await sandbox.run(['key', 'revoke', 'ci']);
  expect((await sandbox.run(['list'], { DOWSER_KEY: key })).stderr).toContain('revoked');
  expect(await status(key)).toBe(401);
  await sandbox.run(['delete', 'skill:/open']);
  expect(await server.stop('SIGTERM')).toBe(0);
  const { stdout } = await sandbox.run(['audit', '--json']);
  const lines = (JSON.parse(stdout).records as Record<string, string>[]).map(
    ({ who, action, result }) => `${who} ${action} ${result}`,
  );
  expect(lines.reverse()).toEqual([
    'local dowser import done',
    'anonymous listEntities UNAUTHENTICATED',
    'local dowser key create done',
    'key:ci dowser delete INSUFFICIENT_SCOPE',
    'local dowser key revoke done',
    'anonymous dowser list UNAUTHENTICATED',
    'anonymous listEntities UNAUTHENTICATED',
    'local deleteEntity done',
  ]);
  for (const file of ['keys.sqlite', 'audit/audit.jsonl']) {
    expect((await stat(join(sandbox.data, file))).mode & 0o777).toBe(0o600);
  }
  expect(server.output.stderr).not.toContain(key);
});

it(
  'serves MCP clients over standard input as the caller of the key, with and without a server',
  async () => {
    await sandbox.run(['import', await sandbox.file('a.jsonl', [skill('/pay', GROUP), skill('/open')])]);
    const reader = await newKey('reader', '--groups', 'payments');
    const writer = await newKey('writer', '--scopes', 'write');
    const check = async () => {
      const reading = await session(reader);
      expect(reading.tools).toContain('search_tools');
      expect(reading.tools).not.toContain('store_memory');
      expect(reading.found).toContain('/pay');
      expect(reading.stored).not.toContain('Stored');
      const writing = await session(writer);
      expect(writing.tools).toContain('store_memory');
      expect(writing.found).not.toContain('/pay');
      expect(writing.stored).toMatch(/Stored|already stored/);
    };
    await check();
    const server = await sandbox.serve(['--auth']);
    await check();
    await server.stop('SIGTERM');
    const { stdout } = await sandbox.run(['list', 'memory', '--json']);
    const memories = JSON.parse(stdout).entities as { readonly entity: { readonly owner?: string } }[];
    expect(memories.map(({ entity }) => entity.owner)).toEqual(['key:writer']);
    const none = await sandbox.run(['mcp'], { DOWSER_AUTH: 'on' }, '');
    expect([none.code, none.stderr.includes('DOWSER_KEY')]).toEqual([1, true]);
  },
  MINUTES,
);

it(
  'adds sources only for a key with the scope admin, with and without a server, and starts no program for others',
  async () => {
    const admin = { DOWSER_KEY: await newKey('chief', '--scopes', 'admin') };
    const writer = { DOWSER_KEY: await newKey('ci', '--scopes', 'write') };
    const file = join(sandbox.data, 'tidy', 'SKILL.md');
    await mkdir(join(sandbox.data, 'tidy'), { recursive: true });
    await writeFile(file, '---\nname: tidy\ndescription: Tidies a desk.\n---\nSweep it.\n');
    const started = join(sandbox.data, 'started');
    const program = ['--', process.execPath, '-e', `require('fs').writeFileSync(${JSON.stringify(started)}, '')`];
    const check = async () => {
      for (const what of [[file], ['--replace', file], ['--dry-run', file], program]) {
        const { code, stdout, stderr } = await sandbox.run(['add', ...what], writer);
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toContain("needs the scope 'admin'");
        expect(stderr).toContain('Use a key or a token with this scope, or ask an admin for it.');
      }
      await expect(stat(started)).rejects.toThrow('ENOENT');
      expect(JSON.parse((await sandbox.run(['list', '--json'])).stdout).entities).toEqual([]);
    };
    await check();
    const server = await sandbox.serve(['--auth']);
    await check();
    await expect(stat(join(sandbox.data, 'sources.txt'))).rejects.toThrow('ENOENT');
    expect((await sandbox.run(['add', file], admin)).stdout).toMatch(/^added {2}skill:\/\S*tidy/);
    await server.stop('SIGTERM');
  },
  MINUTES,
);

it('does not open to the network by accident', async () => {
  const refused = await sandbox.run(['serve', '--port', '0', '--host', '0.0.0.0'], { DOWSER_AUTH: 'off' });
  expect([refused.code, refused.stderr.includes('--open')]).toEqual([2, true]);
  const both = await sandbox.run(['serve', '--port', '0', '--auth', '--open']);
  expect([both.code, both.stderr.includes('both on')]).toEqual([2, true]);
  const server = await sandbox.serve(['--host', '0.0.0.0']);
  expect((await fetch(`${server.url}/api/entities`)).status).toBe(401);
  await server.stop('SIGTERM');
  const open = await sandbox.serve(['--host', '0.0.0.0', '--open']);
  expect((await fetch(`${open.url}/api/entities`)).status).toBe(200);
  expect((await fetch(`${open.url}/api/entities/skill/x`, { method: 'DELETE' })).status).toBe(403);
});
