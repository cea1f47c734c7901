import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { Directory, firstAfter } from './directory.ts';

const server = (path: string, fields: Record<string, unknown> = {}) => ({
  type: 'mcp_server',
  path,
  name: path,
  ...fields,
});

async function directoryOf(...entities: readonly unknown[]) {
  const registry = await memoryRegistry();
  if (entities.length > 0) await registry.putMany(entities);
  const asked: string[] = [];
  const as: LocalRegistry['as'] = (caller) => {
    const scoped = registry.as(caller);
    return {
      ...scoped,
      all(types) {
        asked.push('all');
        return scoped.all(types);
      },
      get(type, path) {
        asked.push(path);
        return scoped.get(type, path);
      },
    };
  };
  const watched = { ...registry, as };
  const directory = new Directory(watched, 'local.dowser');
  const names = async () => (await directory.listing()).servers.map(({ name }) => name);
  return { registry, directory, names, asked };
}

describe('Directory', () => {
  it('reads everything once, then only new writes', async () => {
    const { registry, names, asked } = await directoryOf(server('/a'), server('/b'));
    expect(await names()).toEqual(['local.dowser/a', 'local.dowser/b']);
    await names();
    expect(asked).toEqual(['all']);
    await registry.putMany([
      server('/c'),
      server('/a', { version: '2.0.0' }),
      { type: 'document', path: 'd', body: 'x' },
    ]);
    expect(await names()).toEqual(['local.dowser/a', 'local.dowser/b', 'local.dowser/c']);
    expect(asked).toEqual(['all', '/c', '/a']);
  });

  it('removes deleted, hidden and disabled entities from every list', async () => {
    const { registry, directory, names } = await directoryOf(server('/a'), server('/b'), server('/c'), server('/d'));
    await names();
    await registry.delete('mcp_server', '/a');
    await registry.put(server('/b', { visibility: 'private', owner: 'ada' }));
    await registry.put(server('/c', { is_enabled: false }));
    const { servers, serverNamed, entries, entryAt, entryOf } = await directory.listing();
    const sizes = [servers.length, serverNamed.size, entries.length, entryAt.size, entryOf.size];
    expect(sizes).toEqual([1, 1, 1, 1, 1]);
  });

  it('does not confuse a path with its spelling without a slash', async () => {
    const { registry, directory } = await directoryOf(server('a'), server('/a'));
    const { servers } = await directory.listing();
    expect(servers).toHaveLength(2);
    const plain = servers.find(({ summary }) => summary.metadata.path === 'a')!;
    await registry.delete('mcp_server', 'a');
    expect(await directory.read(plain.summary)).toBeUndefined();
    expect((await directory.listing()).servers.map(({ name }) => name)).toEqual(['local.dowser/a']);
  });

  it('shares one list between concurrent callers', async () => {
    const { directory, asked } = await directoryOf(server('/a'));
    const lists = await Promise.all([directory.listing(), directory.listing(), directory.listing()]);
    expect([new Set(lists).size, asked]).toEqual([1, ['all']]);
  });

  it('tries again after a failure', async () => {
    const registry = await memoryRegistry();
    await registry.put(server('/a'));
    let broken = true;
    const as: LocalRegistry['as'] = (caller) => ({
      ...registry.as(caller),
      async *all(types) {
        if (broken) throw new Error('the disk is gone');
        yield* registry.as(caller).all(types);
      },
    });
    const directory = new Directory({ ...registry, as }, 'local.dowser');
    await expect(directory.listing()).rejects.toThrow('the disk is gone');
    broken = false;
    expect((await directory.listing()).servers).toHaveLength(1);
  });
});

describe('firstAfter', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['b', 1],
    ['c', 2],
    ['z', 3],
  ])('of %j is %i', (after, at) => {
    expect(firstAfter(['a', 'c', 'e'], after, (text) => text)).toBe(at);
  });
});
