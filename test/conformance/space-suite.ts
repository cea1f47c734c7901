import { describe, expect, it } from 'vitest';
import type { Engine, UnitVector } from '../../src/engines/engine.ts';
import type { EmbedderIdentity } from '../../src/model/embedder-identity.ts';
import { entityId } from '../../src/model/entity.ts';
import { indexed, server, TOY_EMBEDDER, toyVector, unitIds } from '../support/engine-fixtures.ts';
import { type EngineUnderTest, useEngine } from './engine-under-test.ts';

const OTHER: EmbedderIdentity = { id: 'test/other/8', dimensions: 8 };
const near = (text: string, { id, dimensions } = TOY_EMBEDDER) => ({
  vector: toyVector(text, dimensions),
  filter: {},
  limit: 10,
  embedder: id,
});

/** What the queue does for the embedder that is being built. */
export async function buildMissing(engine: Engine, embedder = OTHER, limit = 1000): Promise<number> {
  const pending = await engine.missingVectors(limit, undefined, embedder.id);
  const vectors = pending.map(
    ({ unit, text, textHash }): UnitVector => ({ unit, textHash, vector: toyVector(text, embedder.dimensions) }),
  );
  return engine.putVectors(vectors, embedder.id);
}

/** One embedder is replaced by another without a gap: what is built, what is served, what is stale. */
export function spaceSuite(subject: EngineUnderTest): void {
  describe('while the embedder is changed', () => {
    const bench = useEngine(subject);
    const fill = (...paths: readonly string[]) =>
      bench.engine.put(paths.map((path) => indexed(server(path, `about ${path.slice(1)}`))));

    it('builds beside what it serves, and never compares the two', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      const before = await engine.searchVector(near('about a'));
      await engine.build(OTHER);
      expect([engine.embedder?.id, engine.building?.id]).toEqual([TOY_EMBEDDER.id, OTHER.id]);
      expect(await engine.missingVectors(10)).toEqual([]);
      expect(await engine.missingVectors(10, undefined, OTHER.id)).toHaveLength(2);
      expect(await buildMissing(engine, OTHER, 1)).toBe(1);
      expect(await engine.stats()).toMatchObject({
        vectors: 2,
        missingVectors: 0,
        staleVectors: 0,
        building: { id: OTHER.id, vectors: 1, missingVectors: 1 },
      });
      expect(await engine.searchVector({ ...near('about a'), vector: toyVector('about a') })).toEqual(before);
      expect(await engine.searchVector(near('about a', OTHER))).toHaveLength(1);
      await expect(engine.searchVector({ ...near('a'), embedder: OTHER.id })).rejects.toMatchObject({
        code: 'WRONG_DIMENSIONS',
      });
      await expect(
        engine.putVectors([{ unit: before[0]!.unit, textHash: 'x', vector: toyVector('a') }], OTHER.id),
      ).rejects.toMatchObject({ code: 'WRONG_DIMENSIONS' });
    });

    it('swaps in one step, answers queries of the old one until its vectors are dropped, and then no more', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.build(OTHER);
      await buildMissing(engine);
      const old = await engine.searchVector(near('about a'));
      await engine.serveBuilding();
      expect([engine.embedder, engine.building]).toEqual([OTHER, null]);
      expect(unitIds(await engine.searchVector({ ...near('about b', OTHER) }))[0]).toBe('mcp_server:/b#card');
      expect(await engine.searchVector(near('about a'))).toEqual(old);
      expect(await engine.stats()).toMatchObject({ vectors: 2, missingVectors: 0, staleVectors: 2, building: null });
      expect(await engine.staleVectors(10)).toEqual([
        { unit: 'mcp_server:/a#card', embedder: TOY_EMBEDDER.id },
        { unit: 'mcp_server:/b#card', embedder: TOY_EMBEDDER.id },
      ]);
      expect(await engine.staleVectors(1)).toHaveLength(1);
      expect(await engine.dropStaleVectors(1)).toBe(1);
      expect(await engine.dropStaleVectors(10)).toBe(1);
      expect(await engine.dropStaleVectors(10)).toBe(0);
      expect((await engine.stats()).staleVectors).toBe(0);
      expect(await engine.searchVector(near('about a'))).toEqual([]);
      expect(await engine.searchVector(near('about a', OTHER))).toHaveLength(2);
    });

    it('keeps writes and deletions up in both', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.build(OTHER);
      await buildMissing(engine);
      await engine.put([indexed(server('/a', 'another text'), { vectors: false }), indexed(server('/c', 'new'))]);
      await engine.delete([entityId('mcp_server', '/b')]);
      const missing = async (id: string) => (await engine.missingVectors(10, undefined, id)).map(({ unit }) => unit);
      expect(await missing(TOY_EMBEDDER.id)).toEqual(['mcp_server:/a#card']);
      expect([...(await missing(OTHER.id))].sort()).toEqual(['mcp_server:/a#card', 'mcp_server:/c#card']);
      expect(await engine.searchVector(near('about a', OTHER))).toEqual([]);
    });

    it('serves a build that is not complete when it is told to, and goes on with it', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.build(OTHER);
      await buildMissing(engine, OTHER, 1);
      await engine.serveBuilding();
      expect(await engine.stats()).toMatchObject({ vectors: 1, missingVectors: 1, staleVectors: 2 });
      expect(await buildMissing(engine)).toBe(1);
      expect((await engine.stats()).missingVectors).toBe(0);
    });

    it('drops stale vectors of given entities only', async () => {
      const { engine } = bench;
      await fill('/a', '/b');
      await engine.build(OTHER);
      await engine.serveBuilding();
      const [a, gone] = ['/a', '/gone'].map((path) => entityId('mcp_server', path));
      expect(await engine.staleVectors(10, [a!, gone!])).toHaveLength(1);
      expect(await engine.dropStaleVectors(10, [a!, gone!])).toBe(1);
      expect((await engine.staleVectors(10)).map(({ unit }) => unit)).toEqual(['mcp_server:/b#card']);
    });

    it('ends a build for the embedder that is served, and wants nothing of strangers', async () => {
      const { engine } = bench;
      await fill('/a');
      await engine.build(OTHER);
      await buildMissing(engine);
      await engine.build(TOY_EMBEDDER);
      expect(engine.building).toBeNull();
      expect((await engine.stats()).staleVectors).toBe(1);
      await engine.serveBuilding();
      expect(engine.embedder).toEqual(TOY_EMBEDDER);
      expect(await engine.missingVectors(10, undefined, 'test/stranger/3')).toEqual([]);
      expect(await engine.putVectors([], 'test/stranger/3')).toBe(0);
      expect(await engine.searchVector({ ...near('a'), embedder: 'test/stranger/3' })).toEqual([]);
    });
  });
}

/** The same over a restart, which may come at any moment. */
export function durableSpaceSuite(subject: EngineUnderTest): void {
  describe('opened for another embedder', () => {
    const bench = useEngine(subject);
    const fill = () => bench.engine.put(['/a', '/b'].map((path) => indexed(server(path, `about ${path.slice(1)}`))));

    it('goes on serving what it has, builds the other one, and goes on with that after a restart', async () => {
      await fill();
      const before = await bench.engine.searchVector(near('about a'));
      const half = await bench.reopen(OTHER);
      expect([half.embedder, half.building]).toEqual([TOY_EMBEDDER, OTHER]);
      expect(await half.searchVector(near('about a'))).toEqual(before);
      expect(await buildMissing(half, OTHER, 1)).toBe(1);
      const again = await bench.reopen(OTHER);
      expect((await again.stats()).building).toEqual({ id: OTHER.id, vectors: 1, missingVectors: 1 });
      expect(await again.searchVector(near('about a'))).toEqual(before);
      expect(await buildMissing(again)).toBe(1);
      await again.serveBuilding();
      const swapped = await bench.reopen(OTHER);
      expect([swapped.embedder, swapped.building]).toEqual([OTHER, null]);
      expect(await swapped.stats()).toMatchObject({ vectors: 2, missingVectors: 0, staleVectors: 2 });
      expect(await swapped.searchVector(near('about b', OTHER))).toHaveLength(2);
      expect(await swapped.dropStaleVectors(10)).toBe(2);
      expect(await (await bench.reopen(OTHER)).stats()).toMatchObject({ vectors: 2, staleVectors: 0 });
    });

    it('has a half-built one ready to be dropped when the settings go back', async () => {
      await fill();
      await buildMissing(await bench.reopen(OTHER), OTHER, 1);
      const back = await bench.reopen();
      expect([back.embedder, back.building]).toEqual([TOY_EMBEDDER, null]);
      expect(await back.stats()).toMatchObject({ vectors: 2, missingVectors: 0, staleVectors: 1 });
    });

    it('has what it had when an embedder was only looked at that never got a vector', async () => {
      await fill();
      await (await bench.reopen(OTHER)).serveBuilding();
      const third = await bench.reopen({ id: 'test/third/4', dimensions: 4 });
      expect([third.embedder, third.building?.id]).toEqual([TOY_EMBEDDER, 'test/third/4']);
      expect(await third.searchVector(near('about a'))).toHaveLength(2);
    });

    it('begins with the other one where nothing was embedded yet', async () => {
      await bench.engine.put([indexed(server('/a', 'x'), { vectors: false })]);
      const other = await bench.reopen(OTHER);
      expect([other.embedder, other.building]).toEqual([OTHER, null]);
      expect(await other.stats()).toMatchObject({ vectors: 0, missingVectors: 1 });
    });

    it('keeps everything while no embedder is configured', async () => {
      await fill();
      const off = await bench.reopen(null);
      expect(await off.stats()).toMatchObject({ vectors: 0, missingVectors: 0, staleVectors: 0, building: null });
      expect(await off.dropStaleVectors(10)).toBe(0);
      expect(await (await bench.reopen()).stats()).toMatchObject({ vectors: 2, missingVectors: 0 });
    });
  });
}
