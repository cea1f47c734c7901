import { describe, expect, it } from 'vitest';
import { entityId } from '../../src/model/entity.ts';
import { embedMissing, hashText, indexed, server, toyVector } from '../support/engine-fixtures.ts';
import { type QueryParts, retrieveVector, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, useEngine } from './engine-under-test.ts';

const near = (text: string, more: QueryParts = {}) => ({ ...more, vector: toyVector(text) });

/** The vector leg, and the queue of units that wait for a vector. */
export function vectorSuite(subject: EngineUnderTest): void {
  describe('by vector', () => {
    const bench = useEngine(subject);

    it('ranks by cosine, whatever the length of the query', async () => {
      const { engine } = bench;
      await engine.store.put([
        indexed({ type: 'tool', path: '/near', name: 'rain forecast' }),
        indexed({ type: 'tool', path: '/far', name: 'rain sonnet' }),
      ]);
      const hits = await retrieveVector(engine.index, near('rain forecast'));
      expect(unitIds(hits)).toEqual(['tool:/near#card', 'tool:/far#card']);
      expect(hits[0]?.score).toBeCloseTo(1, 5);
      const long = await retrieveVector(engine.index, {
        ...near(''),
        vector: toyVector('rain forecast').map((x) => x * 1000),
      });
      expect(long.map(({ unit }) => unit)).toEqual(unitIds(hits));
      expect(long[1]?.score).toBeCloseTo(hits[1]!.score, 5);
      expect(hits[0]).toMatchObject({ entity: 'tool:/near', type: 'tool', kind: 'card', title: 'rain forecast' });
    });

    it('filters before it limits', async () => {
      const { engine } = bench;
      const hidden = Array.from({ length: 100 }, (_, i) =>
        indexed({ type: 'tool', path: `/hidden-${i}`, name: 'copper', status: 'draft' }),
      );
      const shown = ['tin', 'lead', 'zinc'].map((name) => indexed({ type: 'tool', path: `/${name}`, name }));
      await engine.store.put([...hidden, ...shown]);
      const hits = await retrieveVector(engine.index, near('copper', { filter: { statuses: ['active'] }, limit: 3 }));
      expect([...unitIds(hits)].sort()).toEqual(['tool:/lead#card', 'tool:/tin#card', 'tool:/zinc#card']);
    });

    it('orders equal scores by unit id', async () => {
      const { engine } = bench;
      const paths = ['/c', '/a', '/d', '/b'];
      await engine.store.put(paths.map((path) => indexed({ type: 'tool', path, name: 'same' })));
      const hits = await retrieveVector(engine.index, near('same', { limit: 3 }));
      expect(unitIds(hits)).toEqual(['tool:/a#card', 'tool:/b#card', 'tool:/c#card']);
    });

    it('takes `efSearch` for a hint: among few units none is missed, and none comes twice', async () => {
      const { engine } = bench;
      const words = ['copper', 'kettle', 'tin', 'spoon', 'copper kettle', 'tin spoon'];
      await engine.store.put(words.map((name, n) => indexed({ type: 'tool', path: `/${n}`, name })));
      const all = await retrieveVector(engine.index, near('copper tin'));
      expect(all).toHaveLength(words.length);
      for (const efSearch of [1, 3, 1000]) {
        expect(await retrieveVector(engine.index, near('copper tin', { efSearch }))).toEqual(all);
      }
    });

    it('answers nothing where there is no vector yet, and refuses a query of the wrong size', async () => {
      const { engine } = bench;
      expect(await retrieveVector(engine.index, near('x'))).toEqual([]);
      await engine.store.put([indexed(server('/a', 'x'), { vectors: false })]);
      expect(await retrieveVector(engine.index, near('x'))).toEqual([]);
      const wrong = { vector: new Float32Array(5) };
      await expect(retrieveVector(engine.index, wrong)).rejects.toMatchObject({ code: 'WRONG_DIMENSIONS' });
    });

    it('lists units without a vector in a stable order until they have one', async () => {
      const { engine } = bench;
      const tools = [{ name: 'one' }, { name: 'two' }];
      await engine.store.put([
        indexed(server('/a', 'x', { tools } as object), { vectors: false }),
        indexed(server('/b', 'y')),
      ]);
      const pending = await engine.vectors.missing(10);
      expect(pending.map(({ unit }) => unit).sort()).toEqual([
        'mcp_server:/a#card',
        'mcp_server:/a#tool:one',
        'mcp_server:/a#tool:two',
      ]);
      expect(pending.every(({ text, textHash }) => text !== '' && textHash === hashText(text))).toBe(true);
      expect(await engine.vectors.missing(10)).toEqual(pending);
      expect(await engine.vectors.missingIds()).toEqual(pending.map(({ unit }) => unit));
      expect(await engine.vectors.missing(2)).toEqual(pending.slice(0, 2));
      expect(await embedMissing(engine, 2)).toBe(2);
      expect(await engine.vectors.missing(10)).toEqual(pending.slice(2));
      expect(await embedMissing(engine)).toBe(1);
      expect(await engine.vectors.missing(10)).toEqual([]);
      expect(await retrieveVector(engine.index, near('one'))).toHaveLength(4);
      expect(await engine.index.stats()).toMatchObject({ vectors: 4, missingVectors: 0 });
    });

    it('lists what waits by unit id, whatever was written first', async () => {
      const { engine } = bench;
      for (const path of ['/c', '/a', '/b!', '/b']) {
        await engine.store.put([indexed(server(path, path), { vectors: false })]);
        await engine.vectors.missing(1);
      }
      await engine.store.delete([entityId('mcp_server', '/a')]);
      await engine.store.put([indexed(server('/d', 'in the row of another'), { vectors: false })]);
      const inOrder = ['/b!', '/b', '/c', '/d'].map((path) => `mcp_server:${path}#card`);
      expect((await engine.vectors.missing(10)).map(({ unit }) => unit)).toEqual(inOrder);
      const wanted = ['/d', '/b'].map((path) => entityId('mcp_server', path));
      const some = (await engine.vectors.missing(10, wanted)).map(({ unit }) => unit);
      expect(some).toEqual(['mcp_server:/b#card', 'mcp_server:/d#card']);
      expect(await engine.vectors.missingIds()).toEqual(inOrder);
      expect(await engine.vectors.missingIds(wanted)).toEqual(some);
    });

    it('lists what waits of given entities only', async () => {
      const { engine } = bench;
      await engine.store.put(['/a', '/b', '/c'].map((path) => indexed(server(path, path), { vectors: false })));
      const wanted = [entityId('mcp_server', '/c'), entityId('mcp_server', '/gone'), entityId('mcp_server', '/c')];
      const pending = await engine.vectors.missing(10, wanted);
      expect(pending.map(({ unit }) => unit)).toEqual(['mcp_server:/c#card']);
      expect(await engine.vectors.missing(10, [])).toEqual([]);
    });

    it('wants no vector for a unit without text to embed', async () => {
      const { engine } = bench;
      const { entity, units } = indexed(server('/a', 'x'), { vectors: false });
      await engine.store.put([{ entity, units: units.map((unit) => ({ ...unit, embedText: '', textHash: '' })) }]);
      expect(await engine.vectors.missing(10)).toEqual([]);
      expect((await engine.index.stats()).missingVectors).toBe(0);
    });

    it('keeps the vector of a unit whose text did not change, and drops it when it did', async () => {
      const { engine } = bench;
      const tools = (second: string) => ({ tools: [{ name: 'one' }, { name: 'two', description: second }] });
      await engine.store.put([indexed(server('/a', 'x', tools('before') as object))]);
      await engine.store.put([
        indexed(server('/a', 'x', { ...tools('after'), tags: ['new'] } as object), { vectors: false }),
      ]);
      const pending = await engine.vectors.missing(10);
      expect(pending.map(({ unit }) => unit).sort()).toEqual(['mcp_server:/a#card', 'mcp_server:/a#tool:two']);
      expect(unitIds(await retrieveVector(engine.index, near('one')))).toEqual(['mcp_server:/a#tool:one']);
    });

    it('forgets the vector of a unit that went away and came back', async () => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', 'x'))]);
      await engine.store.delete([entityId('mcp_server', '/a')]);
      await engine.store.put([indexed(server('/a', 'x'), { vectors: false })]);
      expect(await engine.vectors.missing(10)).toHaveLength(1);
      expect(await retrieveVector(engine.index, near('x'))).toEqual([]);
    });

    it('stores no vector for a text that changed meanwhile, or for a unit that is gone', async () => {
      const { engine } = bench;
      await engine.store.put([
        indexed(server('/a', 'before'), { vectors: false }),
        indexed(server('/b', 'b'), { vectors: false }),
      ]);
      const [a, b] = await engine.vectors.missing(10);
      await engine.store.put([indexed(server('/a', 'after'), { vectors: false })]);
      await engine.store.delete([entityId('mcp_server', '/b')]);
      const late = [a!, b!].map(({ unit, textHash, text }) => ({ unit, textHash, vector: toyVector(text) }));
      expect(await engine.vectors.put(late)).toBe(0);
      expect(await retrieveVector(engine.index, near('before'))).toEqual([]);
      expect((await engine.vectors.missing(10)).map(({ text }) => text)).toEqual(['a\nafter']);
    });

    it('takes none of the vectors when one has the wrong size', async () => {
      const { engine } = bench;
      await engine.store.put(['/a', '/b'].map((path) => indexed(server(path, path), { vectors: false })));
      const [a, b] = await engine.vectors.missing(10);
      const vectors = [
        { ...a!, vector: toyVector('a') },
        { ...b!, vector: new Float32Array(3) },
      ];
      await expect(engine.vectors.put(vectors)).rejects.toMatchObject({ code: 'WRONG_DIMENSIONS' });
      expect(await engine.vectors.missing(10)).toHaveLength(2);
    });

    it('without an embedder has no vectors, wants none and takes none', async () => {
      const engine = await bench.another(null);
      expect(engine.vectors.embedder).toBeNull();
      await engine.store.put([indexed(server('/a', 'x'), { vectors: false })]);
      expect(await retrieveVector(engine.index, near('x'))).toEqual([]);
      expect(await engine.vectors.missing(10)).toEqual([]);
      expect(await engine.index.stats()).toMatchObject({ vectors: 0, missingVectors: 0 });
      await expect(engine.store.put([indexed(server('/b', 'x'))])).rejects.toMatchObject({ code: 'WRONG_DIMENSIONS' });
    });
  });
}
