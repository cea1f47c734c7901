import { describe, expect, it } from 'vitest';
import type { StoredEntity } from '../../src/engines/store.ts';
import { type EntityId, entityId, type McpServer } from '../../src/model/entity.ts';
import { compareIds } from '../../src/search/retrieval/compare-ids.ts';
import { indexed, server, toyVector } from '../support/engine-fixtures.ts';
import { queryOf, retrieveText, retrieveVector, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, SCORERS, useEngine } from './engine-under-test.ts';

const idOfServer = (path: string) => entityId('mcp_server', path);

/** Entities go in, come out, are replaced and go away. */
export function recordSuite(subject: EngineUnderTest): void {
  describe('as a record', () => {
    const bench = useEngine(subject);

    it('gives entities back in the order asked and leaves out what it does not have', async () => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', 'first')), indexed(server('/b', 'second'))]);
      const found = await engine.store.getMany([idOfServer('/b'), idOfServer('/nowhere'), idOfServer('/a')]);
      expect(found.map(({ id }) => id)).toEqual([idOfServer('/b'), idOfServer('/a')]);
      expect(found[1]?.entity).toEqual(indexed(server('/a', 'first')).entity);
    });

    it('gives the input schemas of tools back with them, each time', async () => {
      const { engine } = bench;
      const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
      const put = indexed(server('/b', 'second', { tools: [{ name: 'plain' }, { name: 'asks', inputSchema }] }));
      await engine.store.put([put]);
      for (let time = 0; time < 2; time++) {
        const [found] = await engine.store.getMany([idOfServer('/b')]);
        expect(found?.entity).toEqual(put.entity);
        expect(JSON.stringify(found?.entity)).toBe(JSON.stringify(put.entity));
      }
    });

    it('gives callers no way to change what others get', async () => {
      const { store } = bench.engine;
      const tools = [{ name: 'asks', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } }];
      await store.put([indexed(server('/a', 'first', { tags: ['one'], metadata: { deep: { list: [1] } }, tools }))]);
      const read = async () => (await store.getMany([idOfServer('/a')]))[0]!;
      const before = JSON.stringify(await read());
      const changes: readonly ((stored: StoredEntity & { readonly entity: McpServer }) => unknown)[] = [
        (stored) => Object.assign(stored, { createdAt: 'other' }),
        ({ entity }) => Object.assign(entity, { name: 'other' }),
        ({ entity }) => entity.tags.push('other'),
        ({ entity }) => (entity.metadata.deep as { list: number[] }).list.push(2),
        ({ entity }) => Object.assign(entity.tools[0]!, { name: 'other' }),
        ({ entity }) => Object.assign(entity.tools[0]!.inputSchema!.properties as object, { other: {} }),
      ];
      for (const change of changes) {
        try {
          change((await read()) as StoredEntity & { readonly entity: McpServer });
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
        expect(JSON.stringify(await read())).toBe(before);
      }
    });

    it('keeps the time of creation when an entity is replaced, and starts anew after a deletion', async () => {
      const { engine } = bench;
      const created = bench.time();
      await engine.store.put([indexed(server('/a', 'old words'))]);
      const updated = bench.time();
      await engine.store.put([indexed(server('/a', 'new words'))]);
      const [replaced] = await engine.store.getMany([idOfServer('/a')]);
      expect(replaced).toMatchObject({ createdAt: created, updatedAt: updated, entity: { description: 'new words' } });
      await engine.store.delete([idOfServer('/a')]);
      const again = bench.time();
      await engine.store.put([indexed(server('/a', 'newest'))]);
      expect((await engine.store.getMany([idOfServer('/a')]))[0]).toMatchObject({ createdAt: again, updatedAt: again });
    });

    it('keeps the times that an entity brings along', async () => {
      const { engine } = bench;
      const times = { createdAt: '2020-01-02T03:04:05.000Z', updatedAt: '2021-01-02T03:04:05.000Z' };
      await engine.store.put([{ ...indexed(server('/a', 'moved')), ...times }]);
      expect((await engine.store.getMany([idOfServer('/a')]))[0]).toMatchObject(times);
      const updatedAt = bench.time();
      await engine.store.put([indexed(server('/a', 'changed')), indexed(server('/b', 'new'))]);
      const found = await engine.store.getMany([idOfServer('/a'), idOfServer('/b')]);
      expect(found[0]).toMatchObject({ createdAt: times.createdAt, updatedAt });
      expect(found[1]).toMatchObject({ createdAt: updatedAt, updatedAt });
      await engine.store.put([{ ...indexed(server('/b', 'moved here')), ...times }]);
      expect((await engine.store.getMany([idOfServer('/b')]))[0]).toMatchObject(times);
    });

    it('keeps what was put, not the object that was put', async () => {
      const { engine } = bench;
      const put = indexed(server('/a', 'as written', { tags: ['one'] }));
      await engine.store.put([put]);
      put.entity.tags.push('two');
      put.entity.description = 'changed later';
      put.units[0]?.vector?.reverse();
      const [found] = await engine.store.getMany([idOfServer('/a')]);
      expect(found?.entity).toMatchObject({ description: 'as written', tags: ['one'] });
      const vector = indexed(server('/a', 'as written', { tags: ['one'] })).units[0]!.vector!;
      expect((await retrieveVector(engine.index, { vector }))[0]?.score).toBeCloseTo(1, 5);
    });

    it('deletes, and says how many there were', async () => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', 'lighthouse')), indexed(server('/b', 'lighthouse'))]);
      const ids = [idOfServer('/a'), idOfServer('/a'), idOfServer('/nowhere')];
      expect(await engine.store.getMany(ids)).toHaveLength(2);
      expect(await engine.store.delete(ids)).toBe(1);
      expect(await engine.store.delete(ids)).toBe(0);
      expect(await engine.store.getMany(ids)).toEqual([]);
      for (const scorer of SCORERS) {
        const hits = await retrieveText(engine.index, { text: 'lighthouse', scorer });
        expect(unitIds(hits)).toEqual(['mcp_server:/b#card']);
      }
      expect(unitIds(await retrieveVector(engine.index, { vector: toyVector('lighthouse') }))).toEqual([
        'mcp_server:/b#card',
      ]);
    });

    it('pages through every entity once, in id order', async () => {
      const { engine } = bench;
      const paths = ['/b', '/a', '/\u{1f600}', '/\uffee', '/z', '/a/b', '/A'];
      await engine.store.put(paths.map((path) => indexed(server(path, 'x'))));
      await engine.store.put([indexed({ type: 'skill', path: '/s', name: 's' })]);
      const seen: EntityId[] = [];
      let after: string | undefined;
      do {
        const page = await engine.store.scan({ limit: 3, ...(after === undefined ? {} : { after }) });
        expect(page.entities.length).toBeGreaterThan(0);
        seen.push(...page.entities.map(({ id }) => id));
        after = page.cursor;
      } while (after !== undefined);
      expect(seen).toEqual([...paths.map(idOfServer), entityId('skill', '/s')].sort(compareIds));
    });

    it('pages by type, and ends a full last page without a cursor', async () => {
      const { engine } = bench;
      await engine.store.put([
        indexed(server('/a', 'x')),
        indexed({ type: 'skill', path: '/s1', name: 's' }),
        indexed({ type: 'skill', path: '/s2', name: 's' }),
        indexed({ type: 'tool', path: '/t', name: 't' }),
      ]);
      const page = await engine.store.scan({ types: ['skill'], limit: 2 });
      expect(page.entities.map(({ id }) => id)).toEqual(['skill:/s1', 'skill:/s2']);
      expect(page).not.toHaveProperty('cursor');
      expect((await engine.store.scan({ types: [], limit: 2 })).entities).toEqual([]);
    });

    it('goes on behind a cursor whose entity is gone, past entities that came since', async () => {
      const { engine } = bench;
      await engine.store.put(['/a', '/b', '/c', '/d'].map((path) => indexed(server(path, 'x'))));
      const first = await engine.store.scan({ limit: 2 });
      await engine.store.delete([idOfServer('/b')]);
      await engine.store.put([indexed(server('/bb', 'x')), indexed(server('/0', 'x'))]);
      const rest = await engine.store.scan({ limit: 10, after: first.cursor! });
      expect(rest.entities.map(({ entity }) => entity.path)).toEqual(['/bb', '/c', '/d']);
    });

    it('keeps ids apart that a careless store would mix up', async () => {
      const { engine } = bench;
      const paths = ['/\ud800', '/\ufffd', '/\udc00\ud800', '/\\ud800', '/\\', '/é', '/e\u0301', '/a#card', '/a'];
      const tools = [{ name: 'cut\0here' }, { name: 'cut' }, { name: 'x\\u0000' }, { name: 'x\ud800' }];
      await engine.store.put(paths.map((path) => indexed(server(path, 'odd', { tools } as object))));
      expect((await engine.index.stats()).units).toBe(paths.length * (1 + tools.length));
      const found = await engine.store.getMany(paths.map(idOfServer));
      expect(found.map(({ entity }) => entity.path)).toEqual(paths);
      expect(found[0]?.entity).toMatchObject({ tools });
      const filter = { entities: [idOfServer('/\ud800')] };
      const hits = await retrieveVector(engine.index, { vector: toyVector('odd'), filter });
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
      await engine.store.put([indexed(server('/old', 'harbour'))]);
      const before = await engine.index.stats();
      const batch = [indexed(server('/good', 'harbour')), indexed(server('/old', 'changed')), bad()];
      await expect(engine.store.put(batch)).rejects.toMatchObject({ code });
      expect(await engine.index.stats()).toEqual(before);
      const hits = await retrieveText(engine.index, { text: 'harbour changed' });
      expect(unitIds(hits)).toEqual(['mcp_server:/old#card']);
      expect((await engine.store.getMany([idOfServer('/old')]))[0]?.entity.description).toBe('harbour');
    });

    it('takes nothing of a write that puts and deletes the same entity', async () => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/old', 'harbour'))]);
      const before = await engine.index.stats();
      const batch = [indexed(server('/good', 'harbour')), indexed(server('/old', 'changed'))];
      const writing = engine.store.put(batch, { gone: [idOfServer('/old')] });
      await expect(writing).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('/old') });
      expect(await engine.index.stats()).toEqual(before);
      expect((await engine.store.getMany([idOfServer('/old')]))[0]?.entity.description).toBe('harbour');
    });

    it('counts what it has', async () => {
      const { engine } = bench;
      expect(await engine.index.stats()).toMatchObject({
        entities: 0,
        units: 0,
        vectors: 0,
        missingVectors: 0,
        byType: {},
      });
      const tools = [{ name: 'one' }, { name: 'two' }];
      await engine.store.put([
        indexed(server('/a', 'x', { tools } as object)),
        indexed(server('/b', 'y'), { vectors: false }),
      ]);
      await engine.store.put([indexed({ type: 'skill', path: '/s', name: 's' }), indexed(server('/a', 'x'))]);
      expect(await engine.index.stats()).toMatchObject({
        entities: 3,
        units: 3,
        vectors: 2,
        missingVectors: 1,
        byType: { mcp_server: 2, skill: 1 },
      });
      await engine.store.delete([entityId('skill', '/s')]);
      expect((await engine.index.stats()).byType).toEqual({ mcp_server: 2 });
    });

    it('takes an empty batch for what it is', async () => {
      await bench.engine.store.put([]);
      expect(await bench.engine.store.delete([])).toBe(0);
      expect(await bench.engine.store.getMany([])).toEqual([]);
      expect(await bench.engine.vectors.put([])).toBe(0);
    });

    it('refuses everything once closed, and may be closed twice', async () => {
      const { engine } = bench;
      await engine.close();
      await engine.close();
      const calls = [
        () => engine.store.put([indexed(server('/a', 'x'))]),
        () => engine.store.delete([idOfServer('/a')]),
        () => engine.store.getMany([idOfServer('/a')]),
        () => engine.store.scan({ limit: 1 }),
        () => engine.store.annotate([]),
        () => engine.store.annotationsOf([idOfServer('/a')]),
        () => engine.store.annotated('stars'),
        () => engine.index.retrieve(queryOf({ text: 'x' })),
        () => engine.index.retrieve(queryOf({ vector: toyVector('x') })),
        () => engine.index.stats(),
        () => engine.vectors.missing(1),
        () => engine.vectors.missingIds(),
        () => engine.vectors.put([]),
        () => engine.vectors.build({ id: 'test/other/8', dimensions: 8 }),
        () => engine.vectors.serveBuilding(),
        () => engine.vectors.stale(1),
        () => engine.vectors.dropStale(1),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    });
  });
}

function withVector(vector: Float32Array) {
  const { entity, units } = indexed(server('/bad', 'bad'));
  return { entity, units: units.map((unit) => ({ ...unit, vector })) };
}
