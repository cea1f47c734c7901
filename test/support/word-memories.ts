import { createMemories, type MemoryOptions, type MemoryService } from '../../src/memories/create-memories.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import type { WordEmbedder } from './word-embedder.ts';
import { wordsRegistry } from './words-registry.ts';

export interface TestMemories extends MemoryService {
  readonly registry: LocalRegistry;
  /** Moves the clock on. */
  pass(ms: number): void;
}

export const START = '2026-11-17T10:00:00.000Z';
export const DAY_MS = 86_400_000;

/** Memories over a model of words, with a clock that the test moves. It begins at START. */
export async function wordMemories(
  embedder?: WordEmbedder,
  settings: MemoryOptions['settings'] = {},
  registrySettings: Record<string, unknown> = {},
): Promise<TestMemories> {
  let now = Date.parse(START);
  const registry = await wordsRegistry([], embedder, registrySettings);
  const service = createMemories(registry, {
    now: () => new Date(now),
    ...(settings === undefined ? {} : { settings }),
  });
  return {
    ...service,
    registry,
    pass(ms) {
      now += ms;
    },
  };
}
