import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/engine-fixtures.ts';
import type { EmbeddedEngine } from '../engines/embedded/embedded-engine.ts';
import { openEmbedded } from '../engines/embedded/open-embedded.ts';
import type { EntityId } from '../model/entity.ts';
import type { Edge } from '../model/entity-parts/edge.ts';
import { EmbeddedGraphStore } from './embedded-graph-store.ts';

const SOURCES = 5000;
const node = (name: string | number) => `tool:/${name}` as EntityId;
const edge = (source: string | number, target: string | number, more: Partial<Edge> = {}): Edge => ({
  source: node(source),
  target: node(target),
  type: 'POPULAR_WITH',
  weight: 1,
  confidence: 1,
  decay: 0,
  verifiedAt: null,
  provenance: 'import:test',
  ...more,
});

let folder: ReturnType<typeof temporaryFolder>;
let engine: EmbeddedEngine;
beforeEach(async () => {
  folder = temporaryFolder();
  engine = await openEmbedded({ dir: folder.path, embedder: null });
  await engine.edges.put(Array.from({ length: SOURCES }, (_, n) => edge(n, n + 1)));
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

it('lets others have a turn while it loads', async () => {
  let isLoaded = false;
  let turns = 0;
  const loading = new EmbeddedGraphStore(engine.edges).around([node(7)]).finally(() => {
    isLoaded = true;
  });
  while (!isLoaded) {
    await setImmediate();
    turns += 1;
  }
  expect((await loading)[0]).toMatchObject({ degree: 2, strength: 2 });
  expect(turns).toBeGreaterThan(10);
});

it('has every write that comes while it loads, once', async () => {
  const store = new EmbeddedGraphStore(engine.edges);
  const loading = store.around([node(1)]);
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    // At the ends of the record, and between new nodes: some are read by the load, some are not.
    void store.put([edge(0, `new-${turn}`), edge(`late-${turn}`, 'later'), edge(SOURCES - 1, `new-${turn}`)]);
  }
  const kept = store.put([edge(1, 2, { weight: 5 })]);
  const deleted = store.delete({ provenance: 'import:test', between: [node(3), node(4)] });
  await Promise.all([loading, kept, deleted]);
  const degrees = async (...names: (string | number)[]) =>
    (await store.around(names.map(node))).map(({ degree, strength }) => [degree, strength]);
  expect(await degrees(0, SOURCES - 1, 'new-0', 'new-2', 'later')).toEqual([
    [4, 4],
    [5, 5],
    [2, 2],
    [2, 2],
    [3, 3],
  ]);
  expect(await degrees(1, 3, 4)).toEqual([
    [2, 6],
    [1, 1],
    [1, 1],
  ]);
});

it('stores edges also while a load fails, and loads again with the next question', async () => {
  const edges = Object.create(engine.edges) as typeof engine.edges;
  let failures = 1;
  Object.assign(edges, {
    put: engine.edges.put.bind(engine.edges),
    watch: () => {},
    load: () => (failures-- > 0 ? setImmediate().then(() => Promise.reject(new Error('lost'))) : engine.edges.load()),
  });
  const store = new EmbeddedGraphStore(edges);
  const failed = expect(store.around([node(1)])).rejects.toThrow('lost');
  await store.put([edge('a', 'b')]);
  await failed;
  expect(await store.around([node('a')])).toMatchObject([{ degree: 1 }]);
});

it('ends a load with an error when the engine is closed', async () => {
  const loading = expect(new EmbeddedGraphStore(engine.edges).around([node(1)])).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
  });
  await setImmediate();
  await engine.close();
  await loading;
});

it('selects the edges between two nodes as it deletes them', async () => {
  await engine.edges.put([edge(9, 8), edge(9, 8, { provenance: 'co_use' }), edge(8, 9, { type: 'REQUIRES' })]);
  const which = { provenance: 'import:test', between: [node(8), node(9)] } as const;
  const selected = engine.edges.select(which);
  expect(selected).toEqual([edge(8, 9), edge(8, 9, { type: 'REQUIRES' }), edge(9, 8)]);
  expect(await engine.edges.delete(which)).toBe(selected.length);
  expect(engine.edges.select(which)).toEqual([]);
  expect(engine.edges.select({ provenance: 'co_use' })).toEqual([edge(9, 8, { provenance: 'co_use' })]);
  expect(engine.edges.select({ provenance: 'nobody', between: which.between })).toEqual([]);
});
