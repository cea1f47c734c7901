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
