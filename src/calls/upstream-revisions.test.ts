import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { addServer, calledRegistry } from '../../test/support/called-registry.ts';
import { openRegistry } from '../open.ts';
import type { LocalRegistry } from '../registry/contract/registry.ts';

vi.setConfig({ testTimeout: 60_000 });

const MODERN = fileURLToPath(new URL('../../test/support/mcp-modern-fixture.mjs', import.meta.url));
const callers = (registry: LocalRegistry) =>
  ['ada', 'bob'].map((name) => registry.as({ readers: null, name, scopes: ['admin'] }));

it('a program of the revision without sessions is started once and shared by all callers', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-modern-'));
  const settings = { engine: 'memory', data_dir: dir, embeddings_provider: 'off', call: 'destructive' } as const;
  const registry = await openRegistry(settings);
  await addServer(registry, dir, { command: process.execPath, args: [MODERN], name: 'paper' });
  for (const caller of callers(registry)) {
    for (const session of ['', 's']) {
      expect((await caller.call({ path: '/paper#fold_paper', session })).result.content).toEqual([]);
    }
  }
  expect(await registry.upstreams()).toMatchObject([{ path: '/paper', transport: 'stdio', calls: 4 }]);
  await registry.close();
  await rm(dir, { recursive: true });
});

it('one that changes a tool while it runs is listened to: the tool is no longer called', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-modern-'));
  const settings = { engine: 'memory', data_dir: dir, embeddings_provider: 'off', call: 'destructive' } as const;
  const registry = await openRegistry({ ...settings, call_rate: 0 });
  await addServer(registry, dir, { command: process.execPath, args: [MODERN, 'changing'], name: 'paper' });
  await registry.call({ path: '/paper#fold_paper' });
  await registry.call({ path: '/paper#change' });
  await vi.waitFor(
    () => expect(registry.call({ path: '/paper#fold_paper' })).rejects.toMatchObject({ code: 'DRIFTED' }),
    { timeout: 30_000 },
  );
  await registry.close();
  await rm(dir, { recursive: true });
});

it('one of an older revision, which may keep state, is shared by nobody', async () => {
  const { registry, close } = await calledRegistry();
  for (const caller of callers(registry)) await caller.call({ path: '/bad#count' });
  expect((await registry.upstreams()).map(({ calls }) => calls)).toEqual([1, 1]);
  await close();
});

it('one that asks its user in the middle of a call is told that nobody can be asked, and goes on', async () => {
  const { registry, close } = await calledRegistry();
  const { result } = await registry.call({ path: '/bad#elicit' });
  expect(result.content).toEqual([{ type: 'text', text: 'The client answered -32601.' }]);
  await close();
});
