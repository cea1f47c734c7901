import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { BoltGraphStore } from '../../src/graph/bolt-graph-store.ts';
import type { EntityId } from '../../src/model/entity.ts';
import type { Edge } from '../../src/model/entity-parts/edge.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { ensureGraphServer, startGraphServer } from '../support/graph-server.ts';
import { registryOver } from '../support/registry-over.ts';
import { startProxy } from '../support/tcp-proxy.ts';
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
      await setTimeout(300);
    }
  }
}

async function open(url = server!.url): Promise<BoltGraphStore> {
  const store = await BoltGraphStore.open({ url, database: 'graph', timeoutMs: 1000 });
  await insist(() => store.around(['tool:/x' as EntityId]));
  return store;
}

async function clear(store: BoltGraphStore): Promise<void> {
  for (const provenance of ['import:test', 'co_use', 'import:a b.jsonl']) await store.delete({ provenance });
}

if (server === null) {
  failInCi('a graph server');
} else {
  graphSuite({
    name: 'over Bolt',
    async open() {
      const store = await open();
      await clear(store);
      return { store, reopen: () => open() };
    },
  });

  /** Two tools, of which the graph says that they are used together. */
  async function related(graph: BoltGraphStore) {
    await clear(graph);
    const embedder = new WordEmbedder();
    const registry = registryOver(new MemoryEngine({ embedder }), embedder, { graph });
    const tool = (name: string) => ({ type: 'tool', path: `/${name}`, name, description: `${name} mail` });
    await registry.putMany(['send', 'read'].map(tool));
    await registry.embedPending();
    const relation: Edge = edge('send', 'read', { weight: 9 });
    await graph.put([relation]);
    const ask = () =>
      registry.search({ query: 'send mail', preset: 'recommend', with_prerequisites: true, max_results: 1 });
    const before = await ask();
    expect([before.warnings, before.prerequisites!.used_with.length]).toEqual([[], 1]);
    return { registry, ask, relation };
  }

  describe('a graph server that is lost in mid-query', () => {
    it.each([
      ['by a cut connection', { cutAfter: 'MATCH' }],
      ['by silence', { isSilent: true }],
    ])('%s leaves the answer without its edges, and is used again when it answers', async (_, loss) => {
      const proxy = await startProxy(Number(new URL(server.url).port));
      const { registry, ask } = await related(await open(`bolt://127.0.0.1:${proxy.port}`));
      Object.assign(proxy, loss);
      const without = await ask();
      expect(without.results).toHaveLength(1);
      expect(without.prerequisites!.used_with).toEqual([]);
      expect(without.warnings.join()).toContain('The graph is not available (GRAPH_UNAVAILABLE');
      expect(await registry.recommend({ query: 'send mail' })).toMatchObject({
        recommendations: [{ path: '/send' }],
        warnings: [expect.stringContaining('GRAPH_UNAVAILABLE')],
      });
      Object.assign(proxy, { cutAfter: null, isSilent: false });
      await insist(async () => {
        const after = await ask();
        expect([after.warnings, after.prerequisites!.used_with.length]).toEqual([[], 1]);
      });
      await registry.close();
      await proxy.close();
    });
  });

  describe('a graph server that is lost', () => {
    it('leaves searches without its edges, with a warning, until it returns by itself', async () => {
      const graph = await open();
      const { registry, ask, relation } = await related(graph);

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
      await insist(() => graph.put([relation]));
      await insist(async () => {
        const after = await ask();
        expect([after.warnings, after.prerequisites!.used_with.length]).toEqual([[], 1]);
      });
      await registry.close();
    });
  });
}
