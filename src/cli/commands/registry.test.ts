import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { standardsServer } from '../../../test/support/standards-server.ts';
import { command as importCommand } from './import.ts';
import { command } from './registry.ts';

const SERVERS = [
  { path: '/weather', name: 'Weather', official_name: 'io.github.acme/weather' },
  { path: '/com.example/notes', name: 'Notes', mcp_endpoint: 'https://notes.example.com/mcp' },
  { path: '/clock', name: 'Clock', local_runtime: { type: 'npx', package: '@acme/clock' }, deployment: 'local' },
  { path: '/com.example/secret', name: 'Secret', visibility: 'private', owner: 'ada' },
].map((fields) => ({ type: 'mcp_server', ...fields }));

const CONFIG = `{
  // Comments are fine.
  "servers": {
    "io.github.acme/weather": { "url": "https://elsewhere.example.com" },
    "my notes": { "url": "https://notes.example.com/mcp/?key=abc" },
    "io.github.acme/clock": { "command": "npx", "args": ["-y", "@acme/clock@1.2.3"] },
    "com.example/secret": { "url": "https://secret.example.com" },
    "broken": {},
    "off": { "command": "x", "disabled": true },
  },
}`;

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-registry-'));
  file = join(dir, 'mcp.json');
  await writeFile(file, CONFIG);
  await writeFile(join(dir, 'all.jsonl'), SERVERS.map((server) => JSON.stringify(server)).join('\n'));
  await runCommand(importCommand, ['import', join(dir, 'all.jsonl'), '--data', join(dir, 'data')]);
});
afterEach(() => rm(dir, { recursive: true }));

const registry = (...args: string[]) => runCommand(command, ['registry', ...args, '--data', join(dir, 'data')]);
const checked = async (...args: string[]) => JSON.parse(await registry('check', file, '--json', ...args));

it('says what an editor would block, and which server was meant', async () => {
  const clock = { name: 'local.dowser/clock', path: '/clock' };
  const notes = { name: 'com.example/notes', path: '/com.example/notes' };
  expect(await checked()).toEqual({
    blocked: 4,
    servers: [
      {
        name: 'io.github.acme/weather',
        state: 'allowed',
        registered: { name: 'io.github.acme/weather', path: '/weather' },
      },
      { name: 'my notes', state: 'other_name', registered: notes },
      { name: 'io.github.acme/clock', state: 'other_name', registered: clock },
      {
        name: 'com.example/secret',
        state: 'hidden',
        registered: { name: 'com.example/secret', path: '/com.example/secret' },
      },
      { name: 'broken', state: 'unknown' },
    ],
  });
  const said = await registry('check', file);
  expect(said).toContain('5 servers, 4 would be blocked');
  expect(said).toContain('io.github.acme/clock  blocked: registered under another name (local.dowser/clock, /clock)');
  expect(said).not.toContain('abc');
});

it('compares names exactly, as editors do', async () => {
  const names = [
    'weather',
    'acme/weather',
    'io.github.acme/Weather',
    'io.github.acme/weather ',
    'x/io.github.acme/weather',
  ];
  await writeFile(file, JSON.stringify({ servers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) }));
  expect(await checked()).toEqual({
    blocked: names.length,
    servers: names.map((name) => ({ name, state: 'unknown' })),
  });
});

it('allows what a name was set for', async () => {
  expect(await registry('name', '/clock')).toBe('local.dowser/clock\n');
  expect(await registry('name', '/clock', 'io.github.acme/clock')).toBe('io.github.acme/clock\n');
  expect(await registry('name', '/clock')).toBe('io.github.acme/clock\n');
  expect((await checked()).blocked).toBe(3);
});

it('names any entity', async () => {
  await writeFile(join(dir, 'skill.jsonl'), JSON.stringify({ type: 'skill', path: '/skills/alpha', name: 'alpha' }));
  await runCommand(importCommand, ['import', join(dir, 'skill.jsonl'), '--data', join(dir, 'data')]);
  expect(await registry('name', 'skill:/skills/alpha', 'com.acme/quux-forms')).toBe('com.acme/quux-forms\n');
  expect(await registry('name', 'skill:/skills/alpha')).toBe('com.acme/quux-forms\n');
});

it('exits with 1 while something would be blocked', async () => {
  const quiet = { write() {}, style: { dim: (text: string) => text } };
  const run = (config: string) =>
    command.run({
      out: quiet,
      err: quiet,
      env: { EMBEDDINGS_PROVIDER: 'off' },
      signal: new AbortController().signal,
      args: ['check', config],
      options: { data: join(dir, 'data') },
    } as unknown as Parameters<typeof command.run>[0]);
  expect(await run(file)).toBe(1);
  const allowed = join(dir, 'allowed.json');
  await writeFile(allowed, '{"mcpServers": {"io.github.acme/weather": {"command": "x"}}}');
  expect(await run(allowed)).toBe(0);
});

it('asks the registry at an address', async () => {
  const site = await standardsServer([SERVERS[1]]);
  const { servers } = await checked('--url', site.url);
  expect(servers.map(({ state }: { state: string }) => state)).toEqual([
    'unknown',
    'other_name',
    'unknown',
    'unknown',
    'unknown',
  ]);
  await site.close();
});

it.each([[['check']], [['check', 'a', 'b']], [['name']], [['name', '/clock', 'not a name']], [['publish']]])(
  'refuses %j',
  async (args) => {
    await expect(registry(...args)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  },
);
