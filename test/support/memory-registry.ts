import { openRegistry } from '../../src/open.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';

/** A real registry that keeps nothing and embeds nothing; `overrides` make it fail or wait on purpose. */
export async function memoryRegistry(overrides: Partial<LocalRegistry> = {}): Promise<LocalRegistry> {
  return { ...(await openRegistry({ engine: 'memory', embeddings_provider: 'off' })), ...overrides };
}
