import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import type { EmbedderIdentity } from '../../src/model/embedder-identity.ts';
import { entityId } from '../../src/model/entity.ts';
import { embedMissing, indexed, server, TOY_EMBEDDER, toyVector } from '../support/engine-fixtures.ts';
import { queryOf, retrieveVector, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, useEngine } from './engine-under-test.ts';

const OTHER: EmbedderIdentity = { id: 'test/other/8', dimensions: 8 };
const near = (text: string, { id, dimensions } = TOY_EMBEDDER) => ({
  vector: toyVector(text, dimensions),
  embedder: id,
});

/** What the queue does for the embedder that is being built. */
const buildMissing = (engine: Engine, limit = 1000) => embedMissing(engine, limit, OTHER);

/** One embedder is replaced by another without a gap: what is built, what is served, what is stale. */
export function spaceSuite(subject: EngineUnderTest): void {
  describe('while the embedder is changed', () => {
    const bench = useEngine(subject);
    const fill = (...paths: readonly string[]) =>
      bench.engine.store.put(paths.map((path) => indexed(server(path, `about ${path.slice(1)}`))));

    it('builds beside what it serves, and never compares the two', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      const before = await retrieveVector(engine.index, near('about a'));
      await engine.vectors.build(OTHER);
      expect([engine.vectors.embedder?.id, engine.vectors.building?.id]).toEqual([TOY_EMBEDDER.id, OTHER.id]);
      expect(await engine.vectors.missing(10)).toEqual([]);
      expect(await engine.vectors.missing(10, undefined, OTHER.id)).toHaveLength(2);
      expect(await buildMissing(engine, 1)).toBe(1);
      expect(await engine.index.stats()).toMatchObject({
        vectors: 2,
        missingVectors: 0,
        staleVectors: 0,
        building: { id: OTHER.id, vectors: 1, missingVectors: 1 },
      });
      expect(await retrieveVector(engine.index, { ...near('about a'), vector: toyVector('about a') })).toEqual(before);
      expect(await retrieveVector(engine.index, near('about a', OTHER))).toHaveLength(1);
      await expect(retrieveVector(engine.index, { ...near('a'), embedder: OTHER.id })).rejects.toMatchObject({
        code: 'WRONG_DIMENSIONS',
      });
      await expect(
        engine.vectors.put([{ unit: before[0]!.unit, textHash: 'x', vector: toyVector('a') }], OTHER.id),
      ).rejects.toMatchObject({ code: 'WRONG_DIMENSIONS' });
    });

    it('fills in scores and evidence from the vectors of the embedder that the query names', async () => {
      const { engine } = bench;
      await fill('/copper', '/kettle');
      await engine.vectors.build(OTHER);
      await buildMissing(engine, 1);
      const ask = async (embedder: EmbedderIdentity) => {
        // The keyword leg finds the other of the two: what is said of its vector is filled in.
        const query = { ...near('copper about copper', embedder), text: 'kettle', limit: 1, crossScores: true };
        const { units, evidence } = await engine.index.retrieve(queryOf(query));
        const { vectors, missingVectors, meanVector } = evidence;
        return { cosines: units.map(({ vector }) => vector), counts: [vectors, missingVectors, meanVector?.length] };
      };
      expect(await ask(TOY_EMBEDDER)).toEqual({
        cosines: [expect.closeTo(1, 5), expect.any(Number)],
        counts: [2, 0, TOY_EMBEDDER.dimensions],
      });
      expect(await ask(OTHER)).toEqual({
        cosines: [expect.closeTo(1, 5), null],
        counts: [1, 1, OTHER.dimensions],
      });
    });

    it('swaps in one step, answers queries of the old one until its vectors are dropped, and then no more', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.vectors.build(OTHER);
      await buildMissing(engine);
      const old = await retrieveVector(engine.index, near('about a'));
      await engine.vectors.serveBuilding();
      expect([engine.vectors.embedder, engine.vectors.building]).toEqual([OTHER, null]);
      expect(unitIds(await retrieveVector(engine.index, { ...near('about b', OTHER) }))[0]).toBe('mcp_server:/b#card');
      expect(await retrieveVector(engine.index, near('about a'))).toEqual(old);
      expect(await engine.index.stats()).toMatchObject({
        vectors: 2,
        missingVectors: 0,
        staleVectors: 2,
        building: null,
      });
      expect(await engine.vectors.stale(10)).toEqual([
        { unit: 'mcp_server:/a#card', embedder: TOY_EMBEDDER.id },
        { unit: 'mcp_server:/b#card', embedder: TOY_EMBEDDER.id },
      ]);
      expect(await engine.vectors.stale(1)).toHaveLength(1);
      expect(await engine.vectors.dropStale(1)).toBe(1);
      expect(await engine.vectors.dropStale(10)).toBe(1);
      expect(await engine.vectors.dropStale(10)).toBe(0);
      expect((await engine.index.stats()).staleVectors).toBe(0);
      expect(await retrieveVector(engine.index, near('about a'))).toEqual([]);
      expect(await retrieveVector(engine.index, near('about a', OTHER))).toHaveLength(2);
    });

    it('keeps writes and deletions up in both', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.vectors.build(OTHER);
      await buildMissing(engine);
      await engine.store.put([indexed(server('/a', 'another text'), { vectors: false }), indexed(server('/c', 'new'))]);
      await engine.store.delete([entityId('mcp_server', '/b')]);
      const missing = async (id: string) => (await engine.vectors.missing(10, undefined, id)).map(({ unit }) => unit);
      expect(await missing(TOY_EMBEDDER.id)).toEqual(['mcp_server:/a#card']);
      expect([...(await missing(OTHER.id))].sort()).toEqual(['mcp_server:/a#card', 'mcp_server:/c#card']);
      expect(await retrieveVector(engine.index, near('about a', OTHER))).toEqual([]);
    });

    it('serves a build that is not complete when it is told to, and goes on with it', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.vectors.build(OTHER);
      await buildMissing(engine, 1);
      await engine.vectors.serveBuilding();
      expect(await engine.index.stats()).toMatchObject({ vectors: 1, missingVectors: 1, staleVectors: 2 });
      expect(await buildMissing(engine)).toBe(1);
      expect((await engine.index.stats()).missingVectors).toBe(0);
    });

    it('drops stale vectors of given entities only', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.vectors.build(OTHER);
      await engine.vectors.serveBuilding();
      const [a, gone] = ['/a', '/gone'].map((path) => entityId('mcp_server', path));
      expect(await engine.vectors.stale(10, [a!, gone!])).toHaveLength(1);
      expect(await engine.vectors.dropStale(10, [a!, gone!])).toBe(1);
      expect((await engine.vectors.stale(10)).map(({ unit }) => unit)).toEqual(['mcp_server:/b#card']);
    });

    it('ends a build for the embedder that is served, and wants nothing of strangers', async () => {
      const { engine } = bench;
      await fill('/a');
      await engine.vectors.build(OTHER);
      await buildMissing(engine);
      await engine.vectors.build(TOY_EMBEDDER);
      expect(engine.vectors.building).toBeNull();
      expect((await engine.index.stats()).staleVectors).toBe(1);
      await engine.vectors.serveBuilding();
      expect(engine.vectors.embedder).toEqual(TOY_EMBEDDER);
      expect(await engine.vectors.missing(10, undefined, 'test/stranger/3')).toEqual([]);
      expect(await engine.vectors.put([], 'test/stranger/3')).toBe(0);
      const { vector, evidence } = await engine.index.retrieve(queryOf({ ...near('a'), embedder: 'test/stranger/3' }));
      expect([vector, evidence.vectors, evidence.missingVectors, evidence.meanVector]).toEqual([[], 0, 0, null]);
    });
  });
}

/** The same over a restart, which may come at any moment. */
export function durableSpaceSuite(subject: EngineUnderTest): void {
  describe('opened for another embedder', () => {
    const bench = useEngine(subject);
    const fill = () =>
      bench.engine.store.put(['/a', '/b'].map((path) => indexed(server(path, `about ${path.slice(1)}`))));

    it('goes on serving what it has, builds the other one, and goes on with that after a restart', async () => {
      await fill();
      const before = await retrieveVector(bench.engine.index, near('about a'));
      const half = await bench.reopen(OTHER);
      expect([half.vectors.embedder, half.vectors.building]).toEqual([TOY_EMBEDDER, OTHER]);
      expect(await retrieveVector(half.index, near('about a'))).toEqual(before);
      expect(await buildMissing(half, 1)).toBe(1);
      const again = await bench.reopen(OTHER);
      expect((await again.index.stats()).building).toEqual({ id: OTHER.id, vectors: 1, missingVectors: 1 });
      expect(await retrieveVector(again.index, near('about a'))).toEqual(before);
      expect(await buildMissing(again)).toBe(1);
      await again.vectors.serveBuilding();
      const swapped = await bench.reopen(OTHER);
      expect([swapped.vectors.embedder, swapped.vectors.building]).toEqual([OTHER, null]);
      expect(await swapped.index.stats()).toMatchObject({ vectors: 2, missingVectors: 0, staleVectors: 2 });
      expect(await retrieveVector(swapped.index, near('about b', OTHER))).toHaveLength(2);
      expect(await swapped.vectors.dropStale(10)).toBe(2);
      expect(await (await bench.reopen(OTHER)).index.stats()).toMatchObject({ vectors: 2, staleVectors: 0 });
    });

    it('has a half-built one ready to be dropped when the settings go back', async () => {
      await fill();
      await buildMissing(await bench.reopen(OTHER), 1);
      const back = await bench.reopen();
      expect([back.vectors.embedder, back.vectors.building]).toEqual([TOY_EMBEDDER, null]);
      expect(await back.index.stats()).toMatchObject({ vectors: 2, missingVectors: 0, staleVectors: 1 });
    });

    it('has what it had when an embedder was only looked at that never got a vector', async () => {
      await fill();
      await (await bench.reopen(OTHER)).vectors.serveBuilding();
      const third = await bench.reopen({ id: 'test/third/4', dimensions: 4 });
      expect([third.vectors.embedder, third.vectors.building?.id]).toEqual([TOY_EMBEDDER, 'test/third/4']);
      expect(await retrieveVector(third.index, near('about a'))).toHaveLength(2);
    });

    it('begins with the other one where nothing was embedded yet', async () => {
      await bench.engine.store.put([indexed(server('/a', 'x'), { vectors: false })]);
      const other = await bench.reopen(OTHER);
      expect([other.vectors.embedder, other.vectors.building]).toEqual([OTHER, null]);
      expect(await other.index.stats()).toMatchObject({ vectors: 0, missingVectors: 1 });
    });

    it('keeps everything while no embedder is configured', async () => {
      await fill();
      const off = await bench.reopen(null);
      expect(await off.index.stats()).toMatchObject({ vectors: 0, missingVectors: 0, staleVectors: 0, building: null });
      expect(await off.vectors.dropStale(10)).toBe(0);
      expect(await (await bench.reopen()).index.stats()).toMatchObject({ vectors: 2, missingVectors: 0 });
    });
  });
}
