import { expect, it } from 'vitest';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { UNRESTRICTED } from '../../model/caller/caller.ts';
import { entityId, type VirtualServer } from '../../model/entity.ts';
import { storeObserved } from '../provenance/store-observed.ts';
import { deleteOne, putOne } from './publish.ts';
import { writeRuleOf } from './write-rule.ts';

const BACKEND = entityId('mcp_server', '/backend');
const VIRTUAL = entityId('virtual_server', '/all');

/** A registry that dies after its next write. */
async function dyingAfterOneWrite() {
  const engine = new MemoryEngine({ embedder: null });
  const { store } = engine;
  const parts = {
    engine,
    readable: store,
    rule: writeRuleOf(UNRESTRICTED),
    queue: null,
    onStored: () => {},
    waitMs: 0,
  };
  const tools = [{ name: 'dig', description: 'Digs a hole' }];
  await putOne(parts, { type: 'mcp_server', path: '/backend', name: 'backend', description: 'x', tools });
  const tool_mappings = [{ tool_name: 'dig', backend_server_path: '/backend' }];
  await putOne(parts, { type: 'virtual_server', path: '/all', name: 'all', description: 'x', tool_mappings });
  let writes = 0;
  for (const name of ['put', 'delete', 'annotate'] as const) {
    const write = store[name].bind(store) as (...args: unknown[]) => Promise<never>;
    const once = (...args: unknown[]) => (writes++ === 0 ? write(...args) : Promise.reject(new Error('killed')));
    Object.assign(store, { [name]: once });
  }
  const inherited = async () => {
    const [found] = await store.getMany([VIRTUAL]);
    return (found!.entity as VirtualServer).tool_mappings.map(({ inherited }) => inherited?.description);
  };
  return { parts, engine, inherited };
}

it('deletes a backend and what virtual servers inherit from it in one write', async () => {
  const { parts, engine, inherited } = await dyingAfterOneWrite();
  expect(await inherited()).toEqual(['Digs a hole']);
  await deleteOne(parts, async () => (await engine.store.getMany([BACKEND]))[0]!).catch(() => {});
  expect(await engine.store.getMany([BACKEND])).toEqual([]);
  expect(await inherited()).toEqual([undefined]);
});

it('stores a reading, its notes and what is gone in one write', async () => {
  const { engine, inherited } = await dyingAfterOneWrite();
  const annotations = [{ id: VIRTUAL, key: 'liveness', value: 'alive' }];
  await storeObserved(engine, { entities: [], annotations, gone: [BACKEND] }).catch(() => {});
  expect(await engine.store.getMany([BACKEND])).toEqual([]);
  expect(await inherited()).toEqual([undefined]);
  expect([...(await engine.store.annotated('liveness'))]).toEqual([[VIRTUAL, 'alive']]);
});
