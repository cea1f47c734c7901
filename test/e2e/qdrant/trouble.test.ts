import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { VectorOwner } from '../../../src/engines/embedded/index/vector-space.ts';
import type { Engine } from '../../../src/engines/engine.ts';
import { QdrantVectors } from '../../../src/engines/qdrant/qdrant-vectors.ts';
import { MAX_RECENT } from '../../../src/engines/qdrant/remote-answers.ts';
import {
  embedMissing,
  indexed,
  server as mcpServer,
  temporaryFolder,
  toyVector,
} from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { openEngine, qdrantAddress, useQdrant, vectorsIn } from '../../support/qdrant.ts';
import { askQdrant, collectionNames, dropCollections, onlyCollection } from '../../support/qdrant-points.ts';
import { queryOf, retrieveVector } from '../../support/retrieve.ts';
import { startProxy } from '../../support/tcp-proxy.ts';

const qdrant = await useQdrant();
afterAll(() => qdrant?.remove());

const OTHER = { id: 'test/other/8', dimensions: 8 };
const batch = (count: number, word = 'copper') =>
  Array.from({ length: count }, (_, n) => indexed(mcpServer(`/s${n}`, `${word} number ${n}`)));

/** A process whose lease the test holds. */
class LeasedVectors extends QdrantVectors {
  isLeading = true;
  onProgress: () => void = () => {};

  override start(owner: VectorOwner): void {
    super.start({
      id: () => owner.id(),
      leads: () => this.isLeading,
      onProgress: () => {
        owner.onProgress();
        this.onProgress();
      },
    });
  }
}

const openWith = async (vectorServer: QdrantVectors, dir?: string): Promise<Engine> =>
  (await openEngine(vectorServer, dir)).engine;

const near = ({ index }: Engine, text: string) => retrieveVector(index, { vector: toyVector(text), limit: 5 });

if (qdrant === null) {
  failInCi('a Qdrant');
} else {
  describe('vectors in Qdrant', () => {
    beforeEach(() => dropCollections(qdrant));

    it('are indexed again after a process that filled a collection was killed half-way', async () => {
      const { engine, dir } = await openEngine(vectorsIn(qdrant));
      await engine.store.put(batch(10));
      await (engine.vectorServer as QdrantVectors).settled();
      await engine.close();
      const collection = await onlyCollection(qdrant);
      const threshold = async () => {
        const { optimizer_config: optimizers } = (await collection.info()).config;
        return (optimizers as { indexing_threshold: number }).indexing_threshold;
      };
      expect(await threshold()).toBeGreaterThan(0);
      // As during a bulk load.
      const paused = { optimizers_config: { indexing_threshold: 0 } };
      await askQdrant(qdrant, 'PATCH', `/collections/${collection.name}`, paused);
      await openWith(vectorsIn(qdrant), dir);
      await expect.poll(threshold).toBeGreaterThan(0);
    });

    it('are written no more by a process that lost its lease half-way, and completed when it has it again', async () => {
      const COUNT = 1_000;
      const vectors = new LeasedVectors({ address: qdrantAddress(qdrant) });
      const engine = await openWith(vectors);
      await vectors.settled();
      let hasAll = false;
      vectors.onProgress = () => {
        const { pending } = vectors.status();
        if (pending === COUNT) hasAll = true;
        else if (hasAll) vectors.isLeading = false;
      };
      await engine.store.put(batch(COUNT));
      await expect.poll(() => vectors.isLeading).toBe(false);
      const written = async () => (await onlyCollection(qdrant)).count();
      // The request under way ends. Without the lease, the process only asks what others have written.
      let [before, now] = [-1, await written()];
      while (before !== now) {
        await wait(500);
        [before, now] = [now, await written()];
      }
      expect([now > 0, now < COUNT]).toEqual([true, true]);
      expect(vectors.status().pending).toBe(COUNT - now);
      vectors.onProgress = () => {};
      vectors.isLeading = true;
      await expect.poll(written).toBe(COUNT);
    });

    it('are compared again later: a write that arrived late put an old point over a newer one', async () => {
      const start = Date.parse('2026-03-01T12:00:00Z');
      vi.useFakeTimers({ toFake: ['Date'], now: start });
      onTestFinished(() => void vi.useRealTimers());
      const vectors = new LeasedVectors({ address: qdrantAddress(qdrant) });
      const engine = await openWith(vectors);
      await engine.store.put(batch(5));
      await vectors.settled();
      const collection = await onlyCollection(qdrant);
      const old = await collection.read('mcp_server:/s3#card');
      await engine.store.put([indexed(mcpServer('/s3', 'kettle of another kind'))]);
      await vectors.settled();
      const newer = await collection.read('mcp_server:/s3#card');
      const isNewer = async () =>
        (await collection.read('mcp_server:/s3#card')).payload.digest === newer.payload.digest;
      // A minute after the start, and ten minutes after that.
      for (const ms of [61_000, 662_000]) {
        await collection.write(old);
        expect(await isNewer()).toBe(false);
        vi.setSystemTime(start + ms);
        await expect.poll(isNewer).toBe(true);
      }
      // At once, when a lease came back.
      vectors.isLeading = false;
      await wait(1_500);
      await collection.write(old);
      vectors.isLeading = true;
      await expect.poll(isNewer).toBe(true);
    });

    it('are no longer called unavailable while those that wait are written after a failure', async () => {
      const vectors = new LeasedVectors({ address: qdrantAddress(qdrant) });
      const engine = await openWith(vectors);
      await vectors.settled();
      await qdrant.kill();
      await engine.store.put(batch(1_000));
      await expect.poll(() => vectors.status().state).toBe('down');
      const states = new Set<string>();
      vectors.onProgress = () => {
        const { pending, state } = vectors.status();
        if (pending > 0 && pending < 1_000) states.add(state);
      };
      await qdrant.start();
      await expect.poll(() => vectors.status().pending).toBe(0);
      expect([...states]).toEqual(['ready']);
    });

    it('are counted as pending by a process that only reads, while another one fills the collection', async () => {
      const [COUNT, GONE] = [MAX_RECENT + 300, 1_000];
      const filling = vectorsIn(qdrant);
      const { engine: filled, dir } = await openEngine(filling);
      await filled.store.put(batch(COUNT));
      await filling.settled();
      await filled.close();
      const units = batch(GONE).flatMap((one) => one.units.map(({ id }) => id));
      await (await onlyCollection(qdrant)).remove(...units);
      const reading = new LeasedVectors({ address: qdrantAddress(qdrant) });
      reading.isLeading = false;
      const engine = await openWith(reading, dir);
      let isSettled = false;
      const settled = reading.settled().then(() => {
        isSettled = true;
      });
      await expect.poll(() => reading.status().pending).toBe(units.length);
      const { evidence } = await engine.index.retrieve(queryOf({ vector: toyVector('copper number 2'), limit: 5 }));
      expect([evidence.missingVectors, isSettled]).toEqual([units.length, false]);
      reading.isLeading = true;
      await settled;
      expect([reading.status().pending, await (await onlyCollection(qdrant)).count()]).toEqual([0, COUNT]);
    });

    it('of another size in the collection are replaced', async () => {
      const vectors = vectorsIn(qdrant);
      const folder = temporaryFolder();
      onTestFinished(() => folder.remove());
      const engine = await openWith(vectors, folder.path);
      await engine.store.put(batch(30));
      await vectors.settled();
      const { name } = await onlyCollection(qdrant);
      const expected = await near(engine, 'copper number 7');
      await engine.close();
      await askQdrant(qdrant, 'DELETE', `/collections/${name}`);
      await askQdrant(qdrant, 'PUT', `/collections/${name}`, { vectors: { size: 3, distance: 'Dot' } });
      const again = vectorsIn(qdrant);
      const reopened = await openWith(again, folder.path);
      await expect.poll(() => again.status()).toMatchObject({ pending: 0, error: null });
      expect(await (await onlyCollection(qdrant)).count()).toBe(30);
      expect(await near(reopened, 'copper number 7')).toEqual(expected);
    });

    it('are found though Qdrant closes connections between two searches', async () => {
      const proxy = await startProxy(qdrant.port);
      onTestFinished(() => proxy.close());
      const vectors = new QdrantVectors({ address: `qdrant://127.0.0.1:${proxy.port}` });
      const engine = await openWith(vectors);
      await engine.store.put(batch(30));
      await vectors.settled();
      const expected = await near(engine, 'copper number 7');
      expect(expected).toHaveLength(5);
      for (let n = 0; n < 20; n++) {
        proxy.drop();
        if (n % 2 === 0) await setImmediate();
        expect(await near(engine, 'copper number 7')).toEqual(expected);
      }
      expect(vectors.status().error).toBeNull();
    });

    it('are found at every moment of a change of the model', async () => {
      const vectors = vectorsIn(qdrant);
      const engine = await openWith(vectors);
      await engine.store.put(batch(200));
      await vectors.settled();
      const found: number[] = [];
      let isDone = false;
      let rounds = 0;
      const searching = (async () => {
        while (!isDone) {
          const { id, dimensions } = engine.vectors.embedder!;
          const vector = toyVector('copper number 7', dimensions);
          found.push((await retrieveVector(engine.index, { vector, embedder: id, limit: 5 })).length);
          rounds++;
          await setImmediate();
        }
      })();
      await engine.vectors.build(OTHER);
      await embedMissing(engine, 1000, OTHER);
      await engine.vectors.serveBuilding();
      // As the registry does it: a search that began with the old model ends with it.
      const last = rounds;
      await expect.poll(() => rounds).toBeGreaterThan(last + 1);
      while ((await engine.vectors.dropStale(500)) > 0);
      await expect.poll(() => collectionNames(qdrant)).toHaveLength(1);
      isDone = true;
      await searching;
      expect(engine.vectors.embedder).toEqual(OTHER);
      expect(new Set(found)).toEqual(new Set([5]));
    });
  });
}
