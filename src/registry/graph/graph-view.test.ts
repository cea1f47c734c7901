import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { indexed } from '../../../test/support/engine-fixtures.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import type { Store } from '../../engines/store.ts';
import { EmbeddedGraphStore } from '../../graph/embedded-graph-store.ts';
import type { GraphStore } from '../../graph/graph-store.ts';
import type { EntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { GraphView } from './graph-view.ts';

const COUNT = 1000;
const NEVER_MS = 2 ** 30;

/** A view over a thousand tools, each related to the next one, and how many entities each read took. */
async function opened(pauseMs: number) {
  const engine = new MemoryEngine({ embedder: null });
  const tool = (n: number, relations: { readonly type: string; readonly target: string }[]) =>
    indexed({ type: 'tool', path: `/t${n}`, name: `t${n}`, description: 'mail', relations }, { vectors: false });
  const next = (n: number) => tool(n, [{ type: 'REQUIRES', target: `/t${(n + 1) % COUNT}` }]);
  await engine.store.put(Array.from({ length: COUNT }, (_, n) => next(n)));
  const reads: number[] = [];
  const store = new Proxy(engine.store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        if (name === 'scan') reads.push((args[0] as { readonly limit: number }).limit);
        if (name === 'getMany') reads.push((args[0] as readonly unknown[]).length);
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  }) as Store;
  const view = new GraphView(store, new EmbeddedGraphStore(engine.edges), { pauseMs });
  const edgesOf = async (path: string) => {
    const node = `tool:${path}` as EntityId;
    const { around } = await view.around([node], { types: ['REQUIRES'], limit: 5 }, { store, readers: undefined });
    return around.get(node)?.edges.map(({ source, target }) => `${source} ${target}`) ?? [];
  };
  return { engine, view, edgesOf, reads, tool };
}

it('reads in small slices, and others go on in between', async () => {
  const { edgesOf, reads, engine, tool } = await opened(0);
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      await setImmediate();
      turns += 1;
    }
  })();
  expect(await edgesOf('/t5')).toEqual(['tool:/t4 tool:/t5', 'tool:/t5 tool:/t6']);
  expect([reads.length, Math.max(...reads)]).toEqual([COUNT / 100, 100]);
  expect(turns).toBeGreaterThanOrEqual(COUNT / 100 - 1);

  reads.length = 0;
  turns = 0;
  await engine.store.put(Array.from({ length: COUNT }, (_, n) => tool(n, [])));
  expect(await edgesOf('/t5')).toEqual([]);
  expect([reads.length, Math.max(...reads)]).toEqual([COUNT / 100, 100]);
  expect(turns).toBeGreaterThanOrEqual(COUNT / 100 - 1);
  isDone = true;
  await others;
});

it('reads ahead with pauses, until a question waits for it', async () => {
  const { view, edgesOf, reads } = await opened(NEVER_MS);
  const prepared = view.prepare();
  for (let n = 0; n < 50; n++) await setImmediate();
  expect(reads).toHaveLength(1);
  expect(await edgesOf('/t5')).toHaveLength(2);
  await prepared;
  expect(reads).toHaveLength(COUNT / 100);
});

it('reads again if the reading ahead failed', async () => {
  const { view, edgesOf, engine } = await opened(0);
  const { scan } = engine.store;
  engine.store.scan = () => Promise.reject(new Error('the disk is gone'));
  await view.prepare();
  engine.store.scan = scan;
  expect(await edgesOf('/t5')).toHaveLength(2);
});

it('reads the stored edges ahead, after the entities', async () => {
  const engine = new MemoryEngine({ embedder: null });
  const order: string[] = [];
  const { scan } = engine.store;
  engine.store.scan = (query) => {
    order.push('entities');
    return scan.call(engine.store, query);
  };
  engine.edges.load = () => {
    order.push('edges');
    return Promise.reject(new Error('the disk is gone'));
  };
  await new GraphView(engine.store, new EmbeddedGraphStore(engine.edges), { pauseMs: 0 }).prepare();
  expect(order).toEqual(['entities', 'edges']);
});

it('asks a store that has just failed once for each question', async () => {
  let now = 0;
  let calls = 0;
  const isDown = { value: true };
  const engine = new MemoryEngine({ embedder: null });
  const stored = new EmbeddedGraphStore(engine.edges);
  const graph: GraphStore = {
    name: 'shaky',
    put: (edges) => stored.put(edges),
    delete: (which) => stored.delete(which),
    close: () => stored.close(),
    async around(nodes, options) {
      calls += 1;
      if (isDown.value) throw new DowserError('GRAPH_UNAVAILABLE', 'It is down.');
      return stored.around(nodes, options);
    },
  };
  const view = new GraphView(engine.store, graph, { now: () => now });
  const ask = async () =>
    (await view.around([], { types: [], limit: 1 }, { store: engine.store, readers: undefined })).warning;
  expect([await ask(), await ask(), calls]).toEqual([expect.stringContaining('It is down.'), expect.any(String), 1]);
  isDown.value = false;
  now += 250;
  expect([await ask(), await ask(), calls]).toEqual([null, null, 3]);
});
