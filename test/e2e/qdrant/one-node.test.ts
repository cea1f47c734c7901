import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { QdrantOptions } from '../../../src/engines/qdrant/qdrant-vectors.ts';
import { MAX_RECENT } from '../../../src/engines/qdrant/remote-answers.ts';
import { entityId } from '../../../src/model/entity.ts';
import type { Filter } from '../../../src/model/query/filter.ts';
import { embedMissing, indexed, server as mcpServer, TOY_EMBEDDER, toyVector } from '../../support/engine-fixtures.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { openEngine, useQdrant, vectorsIn } from '../../support/qdrant.ts';
import { collectionNames, dropCollections, onlyCollection } from '../../support/qdrant-points.ts';
import { queryOf, retrieveVector, unitIds } from '../../support/retrieve.ts';

const qdrant = await useQdrant();
afterAll(() => qdrant?.remove());

const WORDS = ['copper', 'kettle', 'invoice', 'rocket', 'garden', 'violin', 'harbor', 'planet', 'butter', 'mirror'];
const OTHER = { id: 'test/other/8', dimensions: 8 };

/** Different texts, some of them equal but for the path. */
const catalog = (count: number) =>
  Array.from({ length: count }, (_, n) => {
    const word = (step: number) => WORDS[(n * step + (n >> 3)) % WORDS.length]!;
    const more = {
      tags: [word(7)],
      status: n % 5 === 0 ? 'draft' : 'active',
      allowed_groups: ['a', 'b'].slice(0, n % 3),
    };
    const visibility = n % 4 === 0 ? 'group' : 'public';
    return mcpServer(`/s${n}`, `${word(3)} ${word(1)} ${word(9)}`, {
      ...more,
      visibility: n % 3 === 0 ? 'public' : visibility,
      tools: [{ name: `t${n % 6}`, description: `${word(2)} ${word(5)}` }],
    } as never);
  });

async function open(dir?: string, isServed = true, options: Partial<QdrantOptions> = {}) {
  const vectors = isServed ? vectorsIn(qdrant!, options) : undefined;
  return { ...(await openEngine(vectors, dir)), settled: async () => vectors?.settled() };
}

type Opened = Awaited<ReturnType<typeof open>>;

const near = async ({ engine }: Opened, text: string, filter: Filter = {}, limit = 10) =>
  unitIds(await retrieveVector(engine.index, { vector: toyVector(text), filter, limit }));

const FILTERS: readonly Filter[] = [
  {},
  { types: ['mcp_server'] },
  { types: ['server_tool'], statuses: ['active'], enabled: true },
  { tags: ['COPPER'] },
  { tagsAny: ['copper', 'planet'], readers: ['public'] },
  { readers: ['group:a'], unitKinds: ['card'] },
  { without: [entityId('mcp_server', '/s7')], statuses: ['draft', 'active'] },
  { entities: [entityId('mcp_server', '/s1'), entityId('mcp_server', '/s9')] },
  { facets: ['no such facet'] },
];

if (qdrant === null) {
  failInCi('a Qdrant');
} else {
  describe('vectors in Qdrant', () => {
    beforeEach(() => dropCollections(qdrant));

    it('are found as in memory: the same units in the same order, with the same scores', async () => {
      const [remote, local] = [await open(), await open(undefined, false)];
      const batch = catalog(300).map((entity) => indexed(entity));
      for (const { engine } of [remote, local]) await engine.store.put(batch);
      await remote.settled();
      for (const filter of FILTERS) {
        for (const text of ['copper kettle', 'rocket garden violin', 'butter']) {
          const parts = { text, vector: toyVector(text), filter, crossScores: true, cards: true, limit: 10 };
          const answers = await Promise.all([remote, local].map(({ engine }) => engine.index.retrieve(queryOf(parts))));
          const [theirs, ours] = answers.map(({ vector, units, evidence: { holders: _, ...evidence } }) => ({
            vector: vector!.map((found) => [found.unit, found.vector]),
            units: units.map((found) => [found.unit, found.keyword, found.vector, found.similarity()]),
            evidence,
          }));
          expect(theirs).toEqual(ours);
        }
      }
      const { bytes: _, ...stats } = await remote.engine.index.stats();
      expect(await local.engine.index.stats()).toMatchObject(stats);
    });

    it('are found by HNSW over copies of one byte, compared exactly at the end', async () => {
      const settings = { maxExact: 0, isQuantized: true, ef: 64, m: 8, efConstruct: 64, shards: 1 };
      const [remote, local] = [await open(undefined, true, settings), await open(undefined, false)];
      const batch = catalog(300).map((entity) => indexed(entity));
      for (const { engine } of [remote, local]) await engine.store.put(batch);
      await remote.settled();
      const { config } = await (await onlyCollection(qdrant)).info();
      expect(config).toMatchObject({
        params: {
          shard_number: 1,
          replication_factor: 1,
          write_consistency_factor: 1,
          vectors: { distance: 'Cosine' },
        },
        hnsw_config: { m: 8, ef_construct: 64 },
        quantization_config: { scalar: { type: 'int8' } },
      });
      for (const filter of FILTERS) {
        expect(await near(remote, 'copper kettle', filter)).toEqual(await near(local, 'copper kettle', filter));
      }
    });

    it('are asked there: what only Qdrant lost is not found', async () => {
      const opened = await open();
      await opened.engine.store.put(catalog(20).map((entity) => indexed(entity)));
      await opened.settled();
      const [best] = await near(opened, 'copper kettle');
      await (await onlyCollection(qdrant)).remove(best!);
      expect(await near(opened, 'copper kettle', {}, 100)).not.toContain(best);
    });

    it('never show a unit that was deleted, though Qdrant still has it, and the list stays full', async () => {
      const opened = await open();
      await opened.engine.store.put(catalog(60).map((entity) => indexed(entity)));
      await opened.settled();
      const collection = await onlyCollection(qdrant);
      const before = await near(opened, 'copper kettle', {}, 30);
      const gone = before.slice(0, 25);
      const points = await Promise.all(gone.map((unit) => collection.read(unit)));
      await opened.engine.store.delete(gone.map((unit) => unit.slice(0, unit.lastIndexOf('#')) as never));
      await opened.settled();
      for (const point of points) await collection.write(point);
      expect(await collection.find(toyVector('copper kettle'), 5)).toHaveLength(5);
      expect(gone).toContain((await collection.find(toyVector('copper kettle'), 1))[0]);
      const after = await near(opened, 'copper kettle', {}, 20);
      expect(after).toHaveLength(20);
      expect(after.filter((unit) => gone.includes(unit))).toEqual([]);
    });

    it('never show a unit to readers who lost access, though Qdrant still lets them', async () => {
      const opened = await open();
      const entity = mcpServer('/secret', 'copper kettle', { visibility: 'public' });
      await opened.engine.store.put([indexed(entity), ...catalog(20).map((one) => indexed(one))]);
      await opened.settled();
      const collection = await onlyCollection(qdrant);
      const [unit] = await near(opened, 'copper kettle', { readers: ['public'] }, 1);
      expect(unit).toBe('mcp_server:/secret#card');
      const point = await collection.read(unit!);
      await opened.engine.store.put([indexed({ ...entity, visibility: 'private', owner: 'ann' } as never)]);
      await opened.settled();
      expect((await collection.read(unit!)).payload).toMatchObject({ readers: ['user:ann'] });
      expect(await near(opened, 'copper kettle', { readers: ['user:ann'] })).toEqual([unit]);
      await collection.write(point);
      expect(await near(opened, 'copper kettle', { readers: ['public'] }, 50)).not.toContain(unit);
    });

    it('are found as soon as they are written, before Qdrant has them', async () => {
      const opened = await open();
      await opened.engine.store.put(catalog(20).map((entity) => indexed(entity)));
      await opened.settled();
      await opened.engine.store.put([indexed(mcpServer('/new', 'violin harbor'))]);
      expect((await near(opened, 'violin harbor'))[0]).toBe('mcp_server:/new#card');
    });

    it('give no answer while Qdrant is down, and come back by themselves with what was written meanwhile', async () => {
      const opened = await open();
      const { engine } = opened;
      await engine.store.put(catalog(20).map((entity) => indexed(entity)));
      await opened.settled();
      // It comes back without a point that it had.
      await (await onlyCollection(qdrant)).remove('mcp_server:/s5#card');
      await qdrant.kill();
      try {
        await expect(near(opened, 'copper')).rejects.toMatchObject({ code: 'VECTORS_UNAVAILABLE', httpStatus: 503 });
        await expect.poll(() => engine.vectorServer?.status().state).toBe('down');
        expect(engine.vectorServer?.status()).toMatchObject({ isReady: true, error: { code: 'VECTORS_UNAVAILABLE' } });
        await engine.store.put([indexed(mcpServer('/meanwhile', 'violin harbor'))]);
        await engine.store.delete([entityId('mcp_server', '/s3')]);
        expect((await engine.index.retrieve(queryOf({ text: 'violin harbor' }))).keyword[0]?.unit).toBe(
          'mcp_server:/meanwhile#card',
        );
      } finally {
        await qdrant.start();
      }
      await expect.poll(() => engine.vectorServer?.status().state).toBe('ready');
      await opened.settled();
      expect((await near(opened, 'violin harbor'))[0]).toBe('mcp_server:/meanwhile#card');
      expect(await (await onlyCollection(qdrant)).count()).toBe((await engine.index.stats()).vectors);
    });

    it('are filled in again when the collection is gone, and when points are missing or strange after a restart', async () => {
      const opened = await open();
      await opened.engine.store.put(catalog(30).map((entity) => indexed(entity)));
      await opened.settled();
      const before = await near(opened, 'rocket garden');
      const { vectors } = await opened.engine.index.stats();
      await (await onlyCollection(qdrant)).drop();
      await expect(near(opened, 'rocket garden')).rejects.toMatchObject({ code: 'VECTORS_UNAVAILABLE' });
      await expect.poll(() => collectionNames(qdrant)).toHaveLength(1);
      await opened.settled();
      expect(await near(opened, 'rocket garden')).toEqual(before);

      const collection = await onlyCollection(qdrant);
      expect(await collection.count()).toBe(vectors);
      const point = await collection.read(before[0]!);
      await collection.remove(...before.slice(0, 5));
      await collection.write({ ...point, payload: { ...point.payload, unit: 'tool:/strange#card' } });
      await collection.write({ ...point, id: '7d1f1c1e-1111-4111-8111-111111111111', payload: { unit: 'x' } });
      await opened.engine.close();
      const again = await open(opened.dir);
      await again.settled();
      expect(await near(again, 'rocket garden')).toEqual(before);
      expect(await collection.count()).toBe(vectors);
    });

    it('write nothing again at the next start', async () => {
      const opened = await open();
      await opened.engine.store.put(catalog(30).map((entity) => indexed(entity)));
      await opened.settled();
      await opened.engine.close();
      const collection = await onlyCollection(qdrant);
      const point = await collection.read('mcp_server:/s1#card');
      // Dowser does not know this field: it stays until the point is written again.
      await collection.write({ ...point, payload: { ...point.payload, mark: true } });
      const again = await open(opened.dir);
      await again.settled();
      expect((await collection.read('mcp_server:/s1#card')).payload).toMatchObject({ mark: true });
      await again.engine.store.put([indexed(mcpServer('/s1', 'another text'))]);
      await again.settled();
      expect((await collection.read('mcp_server:/s1#card')).payload).not.toHaveProperty('mark');
    });

    it('of a large store are not waited for at the start, and what Qdrant lacks is written in the background', async () => {
      const opened = await open();
      const many = Array.from({ length: MAX_RECENT + 500 }, (_, n) => {
        return indexed({ type: 'tool', path: `/t${n}`, name: `t${n}`, description: `${WORDS[n % 10]} ${n}` });
      });
      await opened.engine.store.put(many);
      // What is neither in Qdrant nor compared here is said to be missing.
      expect(await opened.engine.index.stats()).toMatchObject({ vectors: MAX_RECENT, unloadedVectors: 500 });
      await opened.settled();
      expect(await opened.engine.index.stats()).toMatchObject({ vectors: MAX_RECENT + 500, unloadedVectors: 0 });
      const before = await near(opened, 'rocket 33');
      await opened.engine.close();

      await (await onlyCollection(qdrant)).remove(...before.slice(0, 3));
      const again = await open(opened.dir);
      expect(again.engine.vectorServer?.status().pending).toBe(0);
      expect(await near(again, 'rocket 33')).toContain(before[5]);
      await again.settled();
      expect(await near(again, 'rocket 33')).toEqual(before);
    });

    it('have a collection for each model, and the old one goes when no vector of it is left', async () => {
      const opened = await open();
      const { engine } = opened;
      await engine.store.put(catalog(20).map((entity) => indexed(entity)));
      await opened.settled();
      const [old] = await collectionNames(qdrant);
      await engine.vectors.build(OTHER);
      await embedMissing(engine, 1000, OTHER);
      await engine.vectors.serveBuilding();
      expect(await collectionNames(qdrant)).toHaveLength(2);
      const found = await retrieveVector(engine.index, {
        vector: toyVector('copper', 8),
        embedder: OTHER.id,
        limit: 5,
      });
      expect(found).toHaveLength(5);
      // A search that began before the switch.
      const before = { vector: toyVector('copper'), embedder: TOY_EMBEDDER.id, limit: 5 };
      expect(await retrieveVector(engine.index, before)).toHaveLength(5);
      while ((await engine.vectors.dropStale(500)) > 0);
      await expect.poll(() => collectionNames(qdrant)).toHaveLength(1);
      expect(await collectionNames(qdrant)).not.toContain(old);
    });
  });
}
