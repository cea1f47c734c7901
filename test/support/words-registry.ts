import { type OpenOptions, openRegistry } from '../../src/open.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { openedEmbedder } from './opened-embedder.ts';
import { WordEmbedder } from './word-embedder.ts';

/** A registry over a model of words, with what it is filled with and every vector there. */
export async function wordsRegistry(
  entities: readonly unknown[],
  embedder: WordEmbedder = new WordEmbedder(),
  settings: Record<string, unknown> = {},
  options: OpenOptions = {},
): Promise<LocalRegistry> {
  const registry = await openRegistry(
    { engine: 'memory', ...settings },
    { embedder: openedEmbedder(embedder), background: false, ...options },
  );
  for (let at = 0; at < entities.length; at += 1000) {
    await registry.putMany(entities.slice(at, at + 1000), { vectors: 'later' });
  }
  if (entities.length > 0 && embedder.failure === null) await registry.embedPending();
  return registry;
}
