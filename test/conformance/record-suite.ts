import { describe, expect, it } from 'vitest';
import type { EntityId } from '../../src/model/entity.ts';
import { entityId } from '../../src/model/entity.ts';
import { compareIds } from '../../src/search/ranking/ranked-list.ts';
import { indexed, server, toyVector, unitIds } from '../support/engine-fixtures.ts';
import { type EngineUnderTest, scorersOf, useEngine } from './engine-under-test.ts';

const idOfServer = (path: string) => entityId('mcp_server', path);

/** Entities go in, come out, are replaced and go away. */
export function recordSuite(subject: EngineUnderTest): void {
  describe('as a record', () => {
    const bench = useEngine(subject);

    it('declares what the suite was told', () => {
      expect(bench.engine.capabilities).toEqual(subject.capabilities);
    });

    it('gives entities back in the order asked and leaves out what it does not have', async () => {
      const { engine } = bench;
      await engine.put([indexed(server('/a', 'first')), indexed(server('/b', 'second'))]);
      const found = await engine.getMany([idOfServer('/b'), idOfServer('/nowhere'), idOfServer('/a')]);
      expect(found.map(({ id }) => id)).toEqual([idOfServer('/b'), idOfServer('/a')]);
      expect(found[1]?.entity).toEqual(indexed(server('/a', 'first')).entity);
    });

    it('gives the same for showing, with the input schemas of tools beside it', async () => {
      const { engine } = bench;
      const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
      const tools = [{ name: 'plain' }, { name: 'asks', inputSchema }];
      await engine.put([indexed(server('/a', 'first')), indexed(server('/b', 'second', { tools }))]);
      const [shown, other, ...more] = await engine.getShown(['/b', '/nowhere', '/a'].map(idOfServer));
      expect([shown?.id, other?.id, more]).toEqual([idOfServer('/b'), idOfServer('/a'), []]);
      expect(shown?.entity).toMatchObject({ description: 'second', tools: [{ name: 'plain' }, { name: 'asks' }] });
      expect([0, 1, 2].map((tool) => shown?.inputSchema(tool))).toEqual([undefined, inputSchema, undefined]);
      expect(other?.inputSchema(0)).toBeUndefined();
    });

    it('keeps the time of creation when an entity is replaced, and starts anew after a deletion', async () => {
      const { engine } = bench;
      const created = bench.time();
      await engine.put([indexed(server('/a', 'old words'))]);
      const updated = bench.time();
      await engine.put([indexed(server('/a', 'new words'))]);
      const [replaced] = await engine.getMany([idOfServer('/a')]);
      expect(replaced).toMatchObject({ createdAt: created, updatedAt: updated, entity: { description: 'new words' } });
      await engine.delete([idOfServer('/a')]);
      const again = bench.time();
      await engine.put([indexed(server('/a', 'newest'))]);
      expect((await engine.getMany([idOfServer('/a')]))[0]).toMatchObject({ createdAt: again, updatedAt: again });
    });

    it('keeps what was put, not the object that was put', async () => {
      const { engine } = bench;
      const put = indexed(server('/a', 'as written', { tags: ['one'] }));
      await engine.put([put]);
      put.entity.tags.push('two');
      put.entity.description = 'changed later';
      put.units[0]?.vector?.reverse();
      const [found] = await engine.getMany([idOfServer('/a')]);
      expect(found?.entity).toMatchObject({ description: 'as written', tags: ['one'] });
      const query = {
        vector: indexed(server('/a', 'as written', { tags: ['one'] })).units[0]!.vector!,
        filter: {},
        limit: 1,
      };
      expect((await engine.searchVector(query))[0]?.score).toBeCloseTo(1, 5);
    });

    it('deletes, and says how many there were', async () => {
      const { engine } = bench;
      await engine.put([indexed(server('/a', 'lighthouse')), indexed(server('/b', 'lighthouse'))]);
      const ids = [idOfServer('/a'), idOfServer('/a'), idOfServer('/nowhere')];
      expect(await engine.getMany(ids)).toHaveLength(2);
      expect(await engine.delete(ids)).toBe(1);
      expect(await engine.delete(ids)).toBe(0);
      expect(await engine.getMany(ids)).toEqual([]);
      for (const scorer of scorersOf(subject)) {
        const hits = await engine.searchKeyword({ text: 'lighthouse', scorer, filter: {}, limit: 10 });
        expect(unitIds(hits)).toEqual(['mcp_server:/b#card']);
      }
      expect(unitIds(await engine.searchVector({ vector: toyVector('lighthouse'), filter: {}, limit: 10 }))).toEqual([
        'mcp_server:/b#card',
      ]);
    });

    it('keeps annotations through a put, and drops them with the entity', async () => {
      const { engine } = bench;
      await engine.put([indexed(server('/a', 'first')), indexed(server('/b', 'second'))]);
      const [a, b] = [idOfServer('/a'), idOfServer('/b')];
      await engine.annotate([
        { id: b, key: 'liveness', value: { state: 'dead' } },
        { id: a, key: 'liveness', value: { state: 'alive' } },
        { id: a, key: 'stars\0', value: [5, 'ünïcode'] },
      ]);
      await engine.put([indexed(server('/a', 'other words'))]);
      expect((await engine.annotationsOf([a, b, idOfServer('/nowhere')])).get(a)).toEqual({
        liveness: { state: 'alive' },
        'stars\0': [5, 'ünïcode'],
      });
      expect([...(await engine.annotated('liveness'))]).toEqual([
        [a, { state: 'alive' }],
        [b, { state: 'dead' }],
      ]);
      await engine.annotate([{ id: a, key: 'liveness', value: null }]);
      expect([...(await engine.annotated('liveness')).keys()]).toEqual([b]);
      await engine.delete([b]);
      await engine.put([indexed(server('/b', 'again'))]);
      expect((await engine.annotationsOf([b])).size).toBe(0);
    });

    it('writes the annotations that come with an entity in the same step, or neither', async () => {
      const { engine } = bench;
      const a = idOfServer('/a');
      await engine.put([{ ...indexed(server('/a', 'first')), annotations: { stars: 5, source: { kind: 'x' } } }]);
      expect((await engine.annotationsOf([a])).get(a)).toEqual({ stars: 5, source: { kind: 'x' } });
      await engine.put([{ ...indexed(server('/a', 'second')), annotations: { stars: null, liveness: 'alive' } }]);
      expect((await engine.annotationsOf([a])).get(a)).toEqual({ source: { kind: 'x' }, liveness: 'alive' });
      // A value that JSON cannot hold fails the write in the middle of it.
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      const batch = [
        { ...indexed(server('/a', 'third')), annotations: { stars: 1 } },
        { ...indexed(server('/b', 'other')), annotations: { circle } },
      ];
      await expect(engine.put(batch)).rejects.toThrow();
      expect((await engine.annotationsOf([a])).get(a)).toEqual({ source: { kind: 'x' }, liveness: 'alive' });
      expect((await engine.getMany([a, idOfServer('/b')])).map(({ entity }) => entity.description)).toEqual(['second']);
    });

    it('annotates all that a call names or nothing', async () => {
      const { engine } = bench;
      await engine.put([indexed(server('/a', 'first'))]);
      const call = engine.annotate([
        { id: idOfServer('/a'), key: 'stars', value: 5 },
        { id: idOfServer('/nowhere'), key: 'stars', value: 1 },
      ]);
      await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await engine.annotated('stars')).size).toBe(0);
    });

    it('pages through every entity once, in id order', async () => {
      const { engine } = bench;
      const paths = ['/b', '/a', '/\u{1f600}', '/\uffee', '/z', '/a/b', '/A'];
      await engine.put(paths.map((path) => indexed(server(path, 'x'))));
      await engine.put([indexed({ type: 'skill', path: '/s', name: 's' })]);
      const seen: EntityId[] = [];
      let after: string | undefined;
      do {
        const page = await engine.scan({ limit: 3, ...(after === undefined ? {} : { after }) });
        expect(page.entities.length).toBeGreaterThan(0);
        seen.push(...page.entities.map(({ id }) => id));
        after = page.cursor;
      } while (after !== undefined);
      expect(seen).toEqual([...paths.map(idOfServer), entityId('skill', '/s')].sort(compareIds));
    });

    it('pages by type, and ends a full last page without a cursor', async () => {
      const { engine } = bench;
      await engine.put([
        indexed(server('/a', 'x')),
        indexed({ type: 'skill', path: '/s1', name: 's' }),
        indexed({ type: 'skill', path: '/s2', name: 's' }),
        indexed({ type: 'tool', path: '/t', name: 't' }),
      ]);
      const page = await engine.scan({ types: ['skill'], limit: 2 });
      expect(page.entities.map(({ id }) => id)).toEqual(['skill:/s1', 'skill:/s2']);
      expect(page).not.toHaveProperty('cursor');
      expect((await engine.scan({ types: [], limit: 2 })).entities).toEqual([]);
    });

    it('goes on behind a cursor whose entity is gone, past entities that came since', async () => {
      const { engine } = bench;
      await engine.put(['/a', '/b', '/c', '/d'].map((path) => indexed(server(path, 'x'))));
      const first = await engine.scan({ limit: 2 });
      await engine.delete([idOfServer('/b')]);
      await engine.put([indexed(server('/bb', 'x')), indexed(server('/0', 'x'))]);
      const rest = await engine.scan({ limit: 10, after: first.cursor! });
      expect(rest.entities.map(({ entity }) => entity.path)).toEqual(['/bb', '/c', '/d']);
    });

    it('keeps ids apart that a careless store would mix up', async () => {
      const { engine } = bench;
      const paths = ['/\ud800', '/\ufffd', '/\udc00\ud800', '/\\ud800', '/\\', '/é', '/e\u0301', '/a#card', '/a'];
      const tools = [{ name: 'cut\0here' }, { name: 'cut' }, { name: 'x\\u0000' }, { name: 'x\ud800' }];
      await engine.put(paths.map((path) => indexed(server(path, 'odd', { tools } as object))));
      expect((await engine.stats()).units).toBe(paths.length * (1 + tools.length));
      const found = await engine.getMany(paths.map(idOfServer));
      expect(found.map(({ entity }) => entity.path)).toEqual(paths);
      expect(found[0]?.entity).toMatchObject({ tools });
      const filter = { entities: [idOfServer('/\ud800')] };
      const hits = await engine.searchVector({ vector: toyVector('odd'), filter, limit: 10 });
      expect(hits.map(({ title }) => title).sort()).toEqual(
        ['\ud800', 'x\\u0000', 'cut', 'cut\0here', 'x\ud800'].sort(),
      );
    });

    it.each([
      ['an entity twice', 'DUPLICATE_PATH', () => indexed(server('/good', 'again'))],
      ['a vector that is too short', 'WRONG_DIMENSIONS', () => withVector(new Float32Array(3))],
      ['a vector with a hole', 'INVALID_REQUEST', () => withVector(new Float32Array(16).fill(Number.NaN))],
    ])('takes nothing of a batch with %s', async (_, code, bad) => {
      const { engine } = bench;
      await engine.put([indexed(server('/old', 'harbour'))]);
      const before = await engine.stats();
      const batch = [indexed(server('/good', 'harbour')), indexed(server('/old', 'changed')), bad()];
      await expect(engine.put(batch)).rejects.toMatchObject({ code });
      expect(await engine.stats()).toEqual(before);
      const hits = await engine.searchKeyword({ text: 'harbour changed', scorer: 'bm25f', filter: {}, limit: 10 });
      expect(unitIds(hits)).toEqual(['mcp_server:/old#card']);
      expect((await engine.getMany([idOfServer('/old')]))[0]?.entity.description).toBe('harbour');
    });

    it('counts what it has', async () => {
      const { engine } = bench;
      expect(await engine.stats()).toMatchObject({ entities: 0, units: 0, vectors: 0, missingVectors: 0, byType: {} });
      const tools = [{ name: 'one' }, { name: 'two' }];
      await engine.put([
        indexed(server('/a', 'x', { tools } as object)),
        indexed(server('/b', 'y'), { vectors: false }),
      ]);
      await engine.put([indexed({ type: 'skill', path: '/s', name: 's' }), indexed(server('/a', 'x'))]);
      expect(await engine.stats()).toMatchObject({
        entities: 3,
        units: 3,
        vectors: 2,
        missingVectors: 1,
        byType: { mcp_server: 2, skill: 1 },
      });
      await engine.delete([entityId('skill', '/s')]);
      expect((await engine.stats()).byType).toEqual({ mcp_server: 2 });
    });

    it('takes an empty batch for what it is', async () => {
      await bench.engine.put([]);
      expect(await bench.engine.delete([])).toBe(0);
      expect(await bench.engine.getMany([])).toEqual([]);
      expect(await bench.engine.putVectors([])).toBe(0);
    });

    it('refuses everything once closed, and may be closed twice', async () => {
      const { engine } = bench;
      await engine.close();
      await engine.close();
      const query = { filter: {}, limit: 1 };
      const calls = [
        () => engine.put([indexed(server('/a', 'x'))]),
        () => engine.delete([idOfServer('/a')]),
        () => engine.getMany([idOfServer('/a')]),
        () => engine.getShown([idOfServer('/a')]),
        () => engine.scan({ limit: 1 }),
        () => engine.searchKeyword({ ...query, text: 'x', scorer: 'bm25f' }),
        () => engine.searchVector({ ...query, vector: toyVector('x') }),
        () => engine.missingVectors(1),
        () => engine.putVectors([]),
        () => engine.stats(),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    });
  });
}

function withVector(vector: Float32Array) {
  const { entity, units } = indexed(server('/bad', 'bad'));
  return { entity, units: units.map((unit) => ({ ...unit, vector })) };
}
