import { describe, expect, it } from 'vitest';
import { type EntityId, entityId } from '../../src/model/entity.ts';
import { indexed, server } from '../support/engine-fixtures.ts';
import { type EngineUnderTest, useEngine } from './engine-under-test.ts';

const idOfServer = (path: string) => entityId('mcp_server', path);

/** What the registry keeps beside entities, and how its readers and writers keep up with each other. */
export function annotationSuite(subject: EngineUnderTest): void {
  describe('beside the record', () => {
    const bench = useEngine(subject);

    it('keeps annotations through a put, and drops them with the entity', async () => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', 'first')), indexed(server('/b', 'second'))]);
      const [a, b] = [idOfServer('/a'), idOfServer('/b')];
      await engine.store.annotate([
        { id: b, key: 'liveness', value: { state: 'dead' } },
        { id: a, key: 'liveness', value: { state: 'alive' } },
        { id: a, key: 'stars\0', value: [5, 'ünïcode'] },
      ]);
      await engine.store.put([indexed(server('/a', 'other words'))]);
      expect((await engine.store.annotationsOf([a, b, idOfServer('/nowhere')])).get(a)).toEqual({
        liveness: { state: 'alive' },
        'stars\0': [5, 'ünïcode'],
      });
      expect([...(await engine.store.annotated('liveness'))]).toEqual([
        [a, { state: 'alive' }],
        [b, { state: 'dead' }],
      ]);
      await engine.store.annotate([{ id: a, key: 'liveness', value: null }]);
      expect([...(await engine.store.annotated('liveness')).keys()]).toEqual([b]);
      await engine.store.delete([b]);
      await engine.store.put([indexed(server('/b', 'again'))]);
      expect((await engine.store.annotationsOf([b])).size).toBe(0);
    });

    it('writes the annotations that come with an entity in the same step, or neither', async () => {
      const { engine } = bench;
      const a = idOfServer('/a');
      await engine.store.put([{ ...indexed(server('/a', 'first')), annotations: { stars: 5, source: { kind: 'x' } } }]);
      expect((await engine.store.annotationsOf([a])).get(a)).toEqual({ stars: 5, source: { kind: 'x' } });
      await engine.store.put([{ ...indexed(server('/a', 'second')), annotations: { stars: null, liveness: 'alive' } }]);
      expect((await engine.store.annotationsOf([a])).get(a)).toEqual({ source: { kind: 'x' }, liveness: 'alive' });
      // A value that JSON cannot hold fails the write in the middle of it.
      const circle: Record<string, unknown> = {};
      circle.self = circle;
      const batch = [
        { ...indexed(server('/a', 'third')), annotations: { stars: 1 } },
        { ...indexed(server('/b', 'other')), annotations: { circle } },
      ];
      await expect(engine.store.put(batch)).rejects.toThrow();
      expect((await engine.store.annotationsOf([a])).get(a)).toEqual({ source: { kind: 'x' }, liveness: 'alive' });
      expect((await engine.store.getMany([a, idOfServer('/b')])).map(({ entity }) => entity.description)).toEqual([
        'second',
      ]);
    });

    it('annotates all that a call names or nothing', async () => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', 'first'))]);
      const call = engine.store.annotate([
        { id: idOfServer('/a'), key: 'stars', value: 5 },
        { id: idOfServer('/nowhere'), key: 'stars', value: 1 },
      ]);
      await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect((await engine.store.annotated('stars')).size).toBe(0);
    });

    it('puts, deletes and annotates in one write, all or none', async () => {
      const { engine } = bench;
      await engine.store.put([
        indexed(server('/a', 'first')),
        indexed(server('/b', 'second')),
        indexed(server('/c', 'third')),
      ]);
      const { revision } = engine.store.changes(null);
      const also = (id: EntityId) => ({
        gone: [idOfServer('/a'), idOfServer('/nowhere')],
        annotations: [{ id, key: 'stars', value: 5 }],
      });
      const call = engine.store.put([indexed(server('/b', 'changed'))], also(idOfServer('/nowhere')));
      await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(engine.store.changes(revision).ids).toEqual([]);
      await engine.store.put([indexed(server('/b', 'changed'))], also(idOfServer('/c')));
      const { entities } = await engine.store.scan({ limit: 10 });
      expect(entities.map(({ entity }) => entity.description)).toEqual(['changed', 'third']);
      expect([...(await engine.store.annotated('stars'))]).toEqual([[idOfServer('/c'), 5]]);
      expect(new Set(engine.store.changes(revision).ids)).toEqual(new Set(['/a', '/b', '/c'].map(idOfServer)));
      await engine.store.put([], { gone: [idOfServer('/b')] });
      expect((await engine.index.stats()).entities).toBe(1);
    });

    it('tells a reader which entities were written since it last asked', async () => {
      const { store } = bench.engine;
      const start = store.changes(null);
      expect(start.ids).toBeNull();
      await store.put([indexed(server('/a', 'first')), indexed(server('/b', 'second'))]);
      await store.annotate([{ id: idOfServer('/b'), key: 'stars', value: 5 }]);
      const first = store.changes(start.revision);
      expect(first.ids).toEqual([idOfServer('/a'), idOfServer('/b'), idOfServer('/b')]);
      expect(await store.delete([idOfServer('/a'), idOfServer('/nowhere')])).toBe(1);
      const second = store.changes(first.revision);
      expect(second.ids).toEqual([idOfServer('/a')]);
      expect(store.changes(second.revision)).toEqual({ revision: second.revision, ids: [] });
    });

    it('runs writers that read first one after the other, also behind one that fails', async () => {
      const { store } = bench.engine;
      await store.put([indexed(server('/a', 'x', { metadata: { count: 0 } }))]);
      const count = async () => (await store.getMany([idOfServer('/a')]))[0]!.entity.metadata.count as number;
      const raise = async () => {
        const next = (await count()) + 1;
        await store.put([indexed(server('/a', 'x', { metadata: { count: next } }))]);
        return next;
      };
      const broken = store.inTurn(() => Promise.reject(new Error('broken')));
      const raised = Array.from({ length: 5 }, () => store.inTurn(raise));
      await expect(broken).rejects.toThrow('broken');
      expect(await Promise.all(raised)).toEqual([1, 2, 3, 4, 5]);
    });
  });
}
