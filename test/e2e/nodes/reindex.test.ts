import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ReplicaEngine } from '../../../src/engines/shared/replica-engine.ts';
import type { LocalRegistry } from '../../../src/registry/contract/registry.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../../support/postgres.ts';
import { registryOver } from '../../support/registry-over.ts';
import { allCaughtUp, openNode } from '../../support/shared-nodes.ts';
import { startProxy } from '../../support/tcp-proxy.ts';
import { WordEmbedder } from '../../support/word-embedder.ts';

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

const ENTITIES = 120;

interface RegistryNode {
  readonly node: ReplicaEngine;
  readonly registry: LocalRegistry;
  readonly embedder: WordEmbedder;
}

async function openRegistry(url: string): Promise<RegistryNode> {
  const embedder = new WordEmbedder();
  const node = await openNode(url, { embedder });
  const registry = registryOver(node, embedder, { background: true });
  onTestFinished(() => registry.close());
  return { node, registry, embedder };
}

const leads = ({ node, embedder }: RegistryNode) => node.replica.embeds(embedder.id);

/** Two nodes with the same entities. The first one has the lease. */
async function twoNodes(url: string): Promise<readonly [RegistryNode, RegistryNode]> {
  const first = await openRegistry(url);
  await expect.poll(() => leads(first)).toBe(true);
  const second = await openRegistry(url);
  const skill = (n: number) => ({ type: 'skill', path: `/s${n}`, name: `skill ${n}`, description: `lamp ${n}` });
  await first.registry.putMany(
    Array.from({ length: ENTITIES }, (_, n) => skill(n)),
    { vectors: 'later' },
  );
  await first.registry.embedPending();
  await allCaughtUp(first.node, second.node);
  expect(leads(second)).toBe(false);
  for (const { embedder } of [first, second]) embedder.embedded.length = 0;
  return [first, second];
}

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('re-embedding everything', () => {
    it('runs once, on the node that has the lease, whichever was asked', async () => {
      const [first, second] = await twoNodes(await newSchema(postgres));
      const seen: number[] = [];
      const answers = await Promise.all([
        second.registry.reindex({ all: true }, { onProgress: ({ done }) => seen.push(done) }),
        second.registry.reindex({ all: true }),
        first.registry.reindex({ all: true }),
      ]);
      expect(answers).toEqual(Array(3).fill({ entities: ENTITIES, vectors: ENTITIES, not_found: [] }));
      expect([first.embedder.embedded.length, second.embedder.embedded.length]).toEqual([ENTITIES, 0]);
      expect(seen.at(-1)).toBe(ENTITIES);
      expect((await second.registry.health()).embedder.reindexing).toBeUndefined();
    });

    it('continues on another node when the lease is lost half-way', async () => {
      const [first, second] = await twoNodes(await newSchema(postgres));
      first.embedder.delayMs = 200;
      const answer = second.registry.reindex({ all: true });
      await expect.poll(() => second.node.replica.reindex()?.entities ?? 0).toBeGreaterThan(0);
      await first.registry.close();
      expect(await answer).toEqual({ entities: ENTITIES, vectors: ENTITIES, not_found: [] });
      const [before, after] = [first.embedder.embedded.length, second.embedder.embedded.length];
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThan(ENTITIES);
      expect(before + after).toBeGreaterThanOrEqual(ENTITIES);
    });

    it('tells the node that asked why it failed, and can be asked again', async () => {
      const [first, second] = await twoNodes(await newSchema(postgres));
      first.embedder.fail();
      await expect(second.registry.reindex({ all: true })).rejects.toMatchObject({ code: 'EMBEDDER_UNAVAILABLE' });
      expect((await second.registry.health()).embedder.reindexing).toMatchObject({
        done: 0,
        total: ENTITIES,
        failed: { code: 'EMBEDDER_UNAVAILABLE' },
      });
      first.embedder.recover();
      expect(await second.registry.reindex({ all: true })).toMatchObject({ entities: ENTITIES });
      expect(second.embedder.embedded).toHaveLength(0);
    });

    it('is refused at once while the record is down', async () => {
      const proxy = await startProxy(postgres.port);
      const url = await newSchema(postgres);
      const { node, registry } = await openRegistry(url.replace(`:${postgres.port}/`, `:${proxy.port}/`));
      await registry.put({ type: 'skill', path: '/one', name: 'one', description: 'lamp' });
      await proxy.close();
      await expect.poll(() => node.replica.status().error?.code).toBe('RECORD_UNAVAILABLE');
      await expect(registry.reindex({ all: true })).rejects.toMatchObject({ code: 'RECORD_UNAVAILABLE' });
    });

    it('ends the wait, not the run, when the one who asked goes away', async () => {
      const [first, second] = await twoNodes(await newSchema(postgres));
      first.embedder.delayMs = 100;
      const left = new AbortController();
      const answer = second.registry.reindex({ all: true }, { signal: left.signal });
      await expect.poll(() => first.node.replica.reindex()?.end).toBe(null);
      left.abort();
      await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      await expect.poll(() => first.node.replica.reindex()?.end).toBe('done');
    });
  });
}
