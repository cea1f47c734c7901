import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { ReplicaEngine } from '../../../src/engines/shared/replica-engine.ts';
import { entityId } from '../../../src/model/entity.ts';
import { embedMissing, indexed, server as mcpServer, toyVector } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../../support/postgres.ts';
import { useQdrant, vectorsIn } from '../../support/qdrant.ts';
import { collectionAt, collectionNames, dropCollections, onlyCollection } from '../../support/qdrant-points.ts';
import { retrieveVector, unitIds } from '../../support/retrieve.ts';
import { allCaughtUp, openNode } from '../../support/shared-nodes.ts';

const [postgres, qdrant] = [await usePostgres(), await useQdrant()];
afterAll(async () => {
  await postgres?.remove();
  await qdrant?.remove();
});

const near = async ({ index }: ReplicaEngine, text: string, limit = 10) =>
  unitIds(await retrieveVector(index, { vector: toyVector(text), limit }));

const pendingOf = (...nodes: readonly ReplicaEngine[]) =>
  nodes.map(({ vectorServer }) => vectorServer!.status().pending);

const allSettled = async (...nodes: readonly ReplicaEngine[]) => {
  await allCaughtUp(...nodes);
  await expect.poll(() => pendingOf(...nodes)).toEqual(nodes.map(() => 0));
};

const fill = (node: ReplicaEngine, prefix: string, count: number) =>
  node.store.put(
    Array.from({ length: count }, (_, n) => indexed(mcpServer(`/${prefix}${n}`, `${prefix} number ${n}`))),
  );

if (postgres === null || qdrant === null) {
  failInCi('a PostgreSQL and a Qdrant');
} else {
  describe('nodes with vectors in Qdrant', () => {
    beforeEach(() => dropCollections(qdrant));
    const open = (url: string) => openNode(url, { vectorServer: vectorsIn(qdrant) });

    it('share one collection, and each finds what another has written', async () => {
      const url = await newSchema(postgres);
      const [a, b] = [await open(url), await open(url)];
      await fill(a, 'copper', 20);
      await fill(b, 'kettle', 20);
      await allCaughtUp(a, b);
      const before = await near(b, 'copper number 3');
      expect(before[0]).toBe('mcp_server:/copper3#card');
      await allSettled(a, b);
      expect(await collectionNames(qdrant)).toHaveLength(1);
      expect(await (await onlyCollection(qdrant)).count()).toBe(40);
      expect([await near(a, 'copper number 3'), await near(b, 'copper number 3')]).toEqual([before, before]);
      await b.store.delete([entityId('mcp_server', '/copper3')]);
      await allSettled(a, b);
      await expect.poll(async () => (await onlyCollection(qdrant)).count()).toBe(39);
      expect(await near(a, 'copper number 3')).not.toContain('mcp_server:/copper3#card');
    });

    it('go on writing when the node that wrote is gone, and a new node needs no vectors of its own', async () => {
      const url = await newSchema(postgres);
      const [a, b] = [await open(url), await open(url)];
      await fill(a, 'copper', 30);
      await allSettled(a, b);
      await a.close();
      await fill(b, 'kettle', 10);
      await b.store.delete([entityId('mcp_server', '/copper1')]);
      await allSettled(b);
      await expect.poll(async () => (await onlyCollection(qdrant)).count()).toBe(39);
      const c = await open(url);
      await allSettled(b, c);
      expect(await near(c, 'kettle number 4', 40)).toEqual(await near(b, 'kettle number 4', 40));
    });

    it('change the model once, when Qdrant has all of the new vectors', async () => {
      const OTHER = { id: 'test/other/8', dimensions: 8 };
      const url = await newSchema(postgres);
      const [a, b] = [await open(url), await open(url)];
      await fill(a, 'copper', 30);
      await allSettled(a, b);
      await b.vectors.build(OTHER);
      await embedMissing(b, 1000, OTHER);
      const [old] = await collectionNames(qdrant);
      await b.vectors.serveBuilding(OTHER.id);
      const built = (await collectionNames(qdrant)).find((name) => name !== old);
      expect(await collectionAt(qdrant, built!).count()).toBe(30);
      await allCaughtUp(a, b);
      await expect.poll(() => [a, b].map(({ vectors }) => vectors.embedder?.id)).toEqual([OTHER.id, OTHER.id]);
      const query = { vector: toyVector('copper number 3', 8), embedder: OTHER.id };
      const [ofA, ofB] = await Promise.all([a, b].map(({ index }) => retrieveVector(index, query)));
      expect(ofA).toHaveLength(10);
      expect(ofA).toEqual(ofB);
      while ((await b.vectors.dropStale(500)) > 0);
      await expect.poll(() => collectionNames(qdrant)).toHaveLength(1);
    });
  });
}
