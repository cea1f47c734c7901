import { onTestFinished } from 'vitest';
import { ensureQdrant, startQdrant, type TestServer } from '../../scripts/servers.mjs';
import type { AttachedVectorServer } from '../../src/engines/embedded/index/vector-space.ts';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import type { Engine } from '../../src/engines/engine.ts';
import { type QdrantOptions, QdrantVectors } from '../../src/engines/qdrant/qdrant-vectors.ts';
import { TOY_EMBEDDER, temporaryFolder } from './engine-fixtures.ts';

/** A real Qdrant for a test file; null, said loudly, where none can be had. Remove it at the end. */
export async function useQdrant(options?: { readonly apiKey?: string }): Promise<TestServer | null> {
  const installed = ensureQdrant();
  if (!('missing' in installed)) return startQdrant(installed, options);
  process.stderr.write(`\nNO QDRANT: ${installed.missing}. Vectors in Qdrant are not tested.\n`);
  return null;
}

export const qdrantAddress = (...servers: readonly TestServer[]): string =>
  `qdrant://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;

export const vectorsIn = (server: TestServer, options: Partial<QdrantOptions> = {}): QdrantVectors =>
  new QdrantVectors({ address: qdrantAddress(server), ...options });

/** An embedded engine whose vectors are in Qdrant, or not without `vectorServer`. It is closed when the test ends. */
export async function openEngine(vectorServer: QdrantVectors | undefined, dir?: string) {
  const folder = dir === undefined ? temporaryFolder() : { path: dir, remove() {} };
  const engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, vectorServer });
  onTestFinished(async () => {
    await engine.close();
    folder.remove();
  });
  return { engine, dir: folder.path };
}

/** The same engine, with writes that wait until Qdrant has them: every search then asks it. */
export function settledEngine<E extends Engine & { readonly vectorServer: unknown }>(
  engine: E,
  vectors: AttachedVectorServer,
): Engine {
  const settled = <P extends object>(target: P, calls: readonly (keyof P)[]): P =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (!calls.includes(name as keyof P)) return value.bind(target);
        return async (...args: readonly unknown[]) => {
          const result: unknown = await Reflect.apply(value, target, args);
          await vectors.settled();
          return result;
        };
      },
    });
  const { name, store, index, vectors: upkeep, edges, replica, vectorServer } = engine;
  return {
    name,
    store: settled(store, ['put', 'delete', 'annotate']),
    index,
    vectors: settled(upkeep, ['put', 'build', 'serveBuilding', 'dropStale']),
    edges,
    replica,
    vectorServer: vectorServer as Engine['vectorServer'],
    close: () => engine.close(),
  };
}
