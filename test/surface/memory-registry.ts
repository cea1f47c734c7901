import { openRegistry } from '../../src/open.ts';
import type { Registry } from '../../src/registry/registry.ts';

/** A real registry that keeps nothing and embeds nothing; `overrides` make it fail or wait on purpose. */
export async function memoryRegistry(overrides: Partial<Registry> = {}): Promise<Registry> {
  return { ...(await openRegistry({ engine: 'memory', embeddings_provider: 'off' })), ...overrides };
}
