import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DocumentServer } from '../../../test/support/document-server.ts';
import { parseArguments } from '../run.ts';
import { toTerminal } from '../terminal/terminal.ts';
import { command as add } from './add.ts';
import { command as refresh } from './refresh.ts';

let dir: string;
let site: DocumentServer;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-refresh-'));
  site = await DocumentServer.open();
});
afterEach(async () => {
  vi.useRealTimers();
  await site.close();
  await rm(dir, { recursive: true });
});

let exitCode: number;
/** Runs a command with a data folder of its own and no model; gives its JSON. */
async function run(...argv: readonly string[]) {
  const { name, args, options } = parseArguments([...argv, '--json', '--data', join(dir, 'data')]);
  const said: string[] = [];
  const terminal = toTerminal({ isTTY: false, write: (text: string) => said.push(text) }, {});
  const env = { EMBEDDINGS_PROVIDER: 'off', HOME: dir };
  const context = { name, out: terminal, err: terminal, env, signal: new AbortController().signal, args, options };
  exitCode = await (name === 'add' ? add : refresh).run(context);
  return JSON.parse(said.join('')) as { sources: { results: { path: string; state: string; notes: string[] }[] }[] };
}
const states = ({ sources }: Awaited<ReturnType<typeof run>>) =>
  sources.flatMap(({ results }) => results.map(({ path, state }) => `${path} ${state}`));

const card = (description: string) => ({
  name: 'Bank',
  description,
  url: 'https://b.example',
  protocolVersion: '0.3.0',
  skills: [],
});

describe('dowser add', () => {
  it('lets a file replace what came from elsewhere, and an address only when it is told to', async () => {
    const file = join(dir, 'card.json');
    await writeFile(file, JSON.stringify({ ...card('Mine'), path: '/money' }));
    site.answer(() => ({ body: { ...card('Theirs'), path: '/money' } }));
    const address = `${site.url}/card.json`;
    expect(states(await run('add', file))).toEqual(['/money added']);
    expect(states(await run('add', address))).toEqual(['/bank added']);

    await writeFile(file, JSON.stringify(card('Mine again')));
    const other = join(dir, 'other.json');
    await writeFile(other, JSON.stringify(card('Mine')));
    expect(states(await run('add', other))).toEqual(['/bank updated']);
    const kept = await run('add', address);
    expect(states(kept)).toEqual(['/bank kept']);
    expect(kept.sources[0]!.results[0]!.notes).toEqual([expect.stringContaining('--replace')]);
    expect(states(await run('add', address, '--replace'))).toEqual(['/bank updated']);
  });

  it('does not let a list replace what came from elsewhere', async () => {
    const file = join(dir, 'server.json');
    await writeFile(file, JSON.stringify({ name: 'io.x/a', description: 'By file', version: '1.0.0' }));
    site.answer(() => ({
      body: { servers: [{ server: { name: 'io.x/a', description: 'By list', version: '2.0.0' } }] },
    }));
    await run('add', file, '--kind', 'server');
    expect(states(await run('add', `${site.url}/v0.1/servers`))).toEqual(['/io.x/a kept']);
  });
});

describe('dowser refresh of a registry', () => {
  it('asks for what changed since it last began, and every tenth time for everything', async () => {
    const servers = ['a', 'b'].map((name) => ({
      server: { name: `io.x/${name}`, description: name, version: '1.0.0' },
      // Stamps of the other side say nothing of when something came into its list.
      _meta: { 'io.modelcontextprotocol.registry/official': { isLatest: true, updatedAt: '2099-01-01T00:00:00Z' } },
    }));
    site.answer((url) => {
      vi.setSystemTime('2026-01-01T12:05:00Z');
      return { body: { servers: url.searchParams.has('updated_since') ? [] : servers, metadata: {} } };
    });
    const sinceOf = (at: number) => new URL(site.requests.at(at)!.url, site.url).searchParams.get('updated_since');
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-01T12:00:00Z') });
    expect(states(await run('add', `${site.url}/v0.1/servers`))).toEqual(['/io.x/a added', '/io.x/b added']);
    servers.pop();
    expect(states(await run('refresh'))).toEqual([]);
    // A minute before the first reading began, by our clock.
    expect(sinceOf(-1)).toBe('2026-01-01T11:59:00.000Z');
    for (let count = 2; count <= 9; count++) await run('refresh');
    expect(sinceOf(-1)).not.toBeNull();
    expect(states(await run('refresh'))).toEqual(['/io.x/a unchanged', '/io.x/b dead']);
    expect(sinceOf(-1)).toBeNull();
  });
});

it('fails where every source is skipped, and not where one was read', async () => {
  const [first, second] = ['a', 'b'].map((name) => join(dir, `${name}.json`)) as [string, string];
  await writeFile(first, JSON.stringify({ ...card('Mine'), name: 'A' }));
  await writeFile(second, JSON.stringify({ ...card('Mine'), name: 'B' }));
  await run('refresh');
  expect(exitCode).toBe(0);
  await run('add', first);
  await rm(join(dir, 'data', 'sources.txt'));
  await run('refresh');
  expect(exitCode).toBe(1);
  await run('add', second);
  await run('refresh');
  expect(exitCode).toBe(0);
});
