import { afterAll, describe, expect, it } from 'vitest';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { BoltGraphStore } from '../../src/graph/bolt-graph-store.ts';
import type { Edge } from '../../src/model/edge.ts';
import type { EntityId } from '../../src/model/entity.ts';
import { ensureGraphServer, startGraphServer } from '../support/graph-server.ts';
import { registryOver } from '../support/registry-over.ts';
import { WordEmbedder } from '../support/word-embedder.ts';
import { edge, graphSuite } from './graph-suite.ts';

/** Against a real server. Where none can be had, this says so, and fails where everything must be there. */
const installed = await ensureGraphServer();
const server = 'missing' in installed ? null : await startGraphServer(installed);
if ('missing' in installed)
  process.stderr.write(`\nNO GRAPH SERVER: ${installed.missing}. The Bolt store is not tested.\n`);
afterAll(() => server?.kill());

/** This server leaves every other new connection waiting until the next one comes. Others do not. */
async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

async function open(): Promise<BoltGraphStore> {
  const store = await BoltGraphStore.open({ url: server!.url, database: 'graph', timeoutMs: 2000 });
  await insist(() => store.around(['tool:/x' as EntityId]));
  return store;
}

async function clear(store: BoltGraphStore): Promise<void> {
  for (const provenance of ['import:test', 'co_use', 'import:a b.jsonl']) await store.delete({ provenance });
}

if (server === null) {
  it('has a graph server to test with, where CI runs', () => {
    expect(process.env.CI ?? '').toBe('');
  });
} else {
  graphSuite({
    name: 'over Bolt',
    async open() {
      const store = await open();
      await clear(store);
      return { store, reopen: open };
    },
  });

  describe('a graph server that is lost', () => {
    it('leaves searches without its edges, with a warning, until it returns by itself', async () => {
      const graph = await open();
      await clear(graph);
      const embedder = new WordEmbedder();
      const registry = registryOver(new MemoryEngine({ embedder }), embedder, { graph });
      const tool = (name: string) => ({ type: 'tool', path: `/${name}`, name, description: `${name} mail` });
      await registry.putMany(['send', 'read'].map(tool));
      await registry.embedPending();
      const related: Edge = edge('send', 'read', { weight: 9 });
      await graph.put([related]);
      const ask = () =>
        registry.search({ query: 'send mail', preset: 'recommend', with_prerequisites: true, max_results: 1 });
      const before = await ask();
      expect([before.warnings, before.prerequisites!.used_with.length]).toEqual([[], 1]);

      await server.kill();
      const without = await ask();
      expect(without.results).toHaveLength(1);
      expect(without.prerequisites!.used_with).toEqual([]);
      expect(without.warnings.join()).toContain('The graph is not available (GRAPH_UNAVAILABLE');
      await expect(
        registry.putEdges({ edges: [{ source: '/send', target: '/read', type: 'REQUIRES' }] }),
      ).rejects.toMatchObject({
        code: 'GRAPH_UNAVAILABLE',
      });

      await server.start();
      await insist(() => graph.put([related]));
      const after = await ask();
      expect([after.warnings, after.prerequisites!.used_with.length]).toEqual([[], 1]);
      await registry.close();
    });
  });
}
