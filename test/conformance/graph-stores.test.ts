import { onTestFinished } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { EmbeddedGraphStore } from '../../src/graph/embedded-graph-store.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { graphSuite } from './graph-suite.ts';

graphSuite({
  name: 'embedded over the memory engine',
  async open() {
    const { edges } = new MemoryEngine({ embedder: null });
    return { store: new EmbeddedGraphStore(edges), reopen: async () => new EmbeddedGraphStore(edges) };
  },
});

graphSuite({
  name: 'embedded over SQLite',
  async open() {
    const folder = temporaryFolder();
    let engine = await openEmbedded({ dir: folder.path, embedder: null });
    onTestFinished(async () => {
      await engine.close();
      folder.remove();
    });
    return {
      store: new EmbeddedGraphStore(engine.edges),
      async reopen() {
        await engine.close();
        engine = await openEmbedded({ dir: folder.path, embedder: null });
        return new EmbeddedGraphStore(engine.edges);
      },
    };
  },
});
