import { expect } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { openedEmbedder } from './opened-embedder.ts';
import { outcomeOf } from './registry-outcome.ts';
import { serveRegistry } from './served-registry.ts';
import { WordEmbedder } from './word-embedder.ts';
import { wordsRegistry } from './words-registry.ts';

/** Calls of every method of a service: a method that is missing does not compile. */
export type CallsOf<S> = { readonly [M in keyof S]: readonly ((service: S) => Promise<unknown>)[] };

/** Makes the calls in their order, in this process and over the network, each on an empty registry, and compares what comes back. */
export async function expectSameAnswers<S>(
  calls: CallsOf<S>,
  local: (registry: LocalRegistry) => S,
  remote: (client: Client) => S,
  comparable: (outcome: unknown) => unknown = (outcome) => outcome,
): Promise<void> {
  const registry = await wordsRegistry([]);
  const served = await serveRegistry({ embedder: openedEmbedder(new WordEmbedder()), background: false });
  try {
    const [here, there] = [local(registry), remote(createClient({ baseUrl: served.url }))];
    for (const [method, each] of Object.entries<CallsOf<S>[keyof S]>(calls)) {
      for (const [at, call] of each.entries()) {
        const expected = comparable(await outcomeOf(registry, () => call(here)));
        const found = comparable(await outcomeOf(registry, () => call(there)));
        expect([method, at, found]).toEqual([method, at, expected]);
      }
    }
  } finally {
    await registry.close();
    await served.close();
  }
}
