import type { Embedder } from '../../src/embedders/embedder.ts';
import type { OpenedEmbedder } from '../../src/embedders/open/open-embedder.ts';

/** An embedder of a test, as a registry takes it in place of the one that the settings name. */
export function openedEmbedder(embedder: Embedder): OpenedEmbedder {
  return { embedder, state: () => ({ id: embedder.id, state: 'ready' }), warm: async () => undefined };
}
