import { expect, it } from 'vitest';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';

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
