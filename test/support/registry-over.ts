import type { Embedder } from '../../src/embedders/embedder.ts';
import type { Engine } from '../../src/engines/engine.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { createRegistry, type RegistryParts } from '../../src/registry/create-registry.ts';

/** A registry over an engine that the test holds. Nothing is embedded in the background, unless `parts` say so. */
export function registryOver(
  engine: Engine,
  embedder: Embedder | null = null,
  parts: Partial<RegistryParts> = {},
): LocalRegistry {
  return createRegistry({
    engine,
    embedder,
    embedderState: () => (embedder === null ? { id: 'none', state: 'off' } : { id: embedder.id, state: 'ready' }),
    version: '0',
    dataPath: null,
    indexingWaitMs: 2000,
    background: false,
    ...parts,
  });
}
