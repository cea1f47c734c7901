import { expect, it } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { callerOf } from '../../model/caller/caller.ts';
import type { ScopedRegistry } from '../contract/registry.ts';

const server = (version: string) => ({
  type: 'mcp_server',
  path: '/clock',
  name: 'Clock',
  version,
  description: `Version ${version}.`,
});

it('changes the default version in one write, so that no version is lost or there twice', async () => {
  const engine = new MemoryEngine({ embedder: null });
  const registry = registryOver(engine, null);
  await registry.put(server('1'));
  await registry.addVersion(server('2'));
  const { put, annotate } = engine.store;
  const writes: string[] = [];
  engine.store.put = (...args) => {
    writes.push('put');
    return put.apply(engine.store, args);
  };
  engine.store.annotate = (...args) => {
    writes.push('annotate');
    return annotate.apply(engine.store, args);
  };
  await registry.setDefaultVersion('/clock', '2');
  expect(writes).toEqual(['put']);
  const versions = await registry.versions('/clock');
  expect(versions.map(({ version, is_default }) => [version, is_default])).toEqual([
    ['2', true],
    ['1', false],
  ]);
  await registry.close();
});

it('does not let a server take the name of another of its versions', async () => {
  const registry = registryOver(new MemoryEngine({ embedder: null }), null);
  await registry.put(server('1'));
  await registry.addVersion(server('2'));
  await expect(registry.put(server('2'))).rejects.toMatchObject({ code: 'ALREADY_EXISTS', field: 'version' });
  await expect(registry.patch('mcp_server', '/clock', { version: '2' })).rejects.toThrow('already has the version 2');
  await registry.put(server('3'));
  expect((await registry.versions('/clock')).map(({ version }) => version)).toEqual(['3', '2']);
  await registry.close();
});

it('hides a version from a caller who may only read the default one', async () => {
  const registry = registryOver(new MemoryEngine({ embedder: null }), null);
  const secret = { visibility: 'group-restricted', allowed_groups: ['ops'], owner: 'ada' } as const;
  const open = { visibility: 'public', allowed_groups: ['dev'], owner: 'ada' } as const;
  await registry.put({ ...server('1'), ...secret });
  await registry.addVersion({ ...server('2'), ...open });
  await registry.setDefaultVersion('/clock', '2');
  await registry.addVersion({ ...server('3'), ...open });
  const as = (name: string, ...groups: string[]) => registry.as(callerOf({ name, groups, scopes: ['write'] }));
  const listed = async (one: ScopedRegistry) => (await one.versions('/clock')).map(({ version }) => version);
  expect(await listed(as('eve', 'ops'))).toEqual(['2', '1', '3']);
  const dev = as('bob', 'dev');
  expect(await listed(dev)).toEqual(['2', '3']);
  const absent = (version: string) => ({ code: 'NOT_FOUND', message: expect.stringContaining(`version "${version}"`) });
  for (const version of ['1', '9']) {
    await expect(dev.setDefaultVersion('/clock', version)).rejects.toMatchObject(absent(version));
    await expect(dev.removeVersion('/clock', version)).rejects.toMatchObject(absent(version));
  }
  // Its name cannot be had, and what is there stays.
  for (const overwrite of [false, true]) {
    await expect(dev.addVersion({ ...server('1'), ...open }, { overwrite })).rejects.toThrow(
      'already has the version 1',
    );
  }
  await dev.removeVersion('/clock', '3');
  expect(await listed(registry)).toEqual(['2', '1']);
  await registry.close();
});

it('gives a version the owner of its server, and no other', async () => {
  const registry = registryOver(new MemoryEngine({ embedder: null }), null);
  const ada = registry.as(callerOf({ name: 'ada', groups: [], scopes: ['write'] }));
  await ada.put(server('1'));
  await ada.addVersion({ ...server('2'), visibility: 'private' });
  expect((await ada.versions('/clock')).map(({ entity }) => entity.owner)).toEqual(['ada', 'ada']);
  await expect(ada.addVersion({ ...server('3'), owner: 'bob' })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  await registry.close();
});
