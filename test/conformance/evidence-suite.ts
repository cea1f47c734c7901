import { describe, expect, it } from 'vitest';
import { entityId } from '../../src/model/entity.ts';
import type { ViewClauses } from '../../src/model/query/filter.ts';
import { MAX_HOLDERS, MAX_PHRASES_READ } from '../../src/search/retrieval/retrieval.ts';
import { analyze } from '../../src/search/text/analyzer.ts';
import { type Anchor, anchorsIn } from '../../src/search/text/anchors.ts';
import { indexed, server, toyVector } from '../support/engine-fixtures.ts';
import { type QueryParts, queryOf, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, useEngine } from './engine-under-test.ts';

const anchor = (kind: Anchor['kind'], text: string): Anchor => ({ kind, text, terms: [...new Set(analyze(text))] });
const tool = (path: string, name: string, more: object = {}) => indexed({ type: 'tool', path, name, ...more });

/** What an index knows of a query as a whole. */
export function evidenceSuite(subject: EngineUnderTest): void {
  describe('of a query as a whole', () => {
    const bench = useEngine(subject);
    const ask = (parts: QueryParts) => bench.engine.index.retrieve(queryOf(parts));
    const evidence = async (parts: QueryParts) => (await ask(parts)).evidence;

    it('counts its terms', async () => {
      await bench.engine.store.put([tool('/a', 'copper kettle'), tool('/b', 'copper')]);
      const terms = async (text: string) => (await evidence({ text })).terms;
      expect(await terms('copper sonnets')).toBe(2);
      expect(await terms('copper copper')).toBe(1);
      expect(await terms('')).toBe(0);
    });

    it('knows what a unit could score at most, which none does', async () => {
      await bench.engine.store.put([
        tool('/a', 'copper kettle', { description: 'copper kettle '.repeat(50) }),
        ...Array.from({ length: 20 }, (_, n) => tool(`/n${n}`, `spoon ${n}`)),
      ]);
      const { keyword, evidence: all } = await ask({ text: 'copper kettle' });
      expect(all.ceiling).toBeGreaterThan(keyword[0]!.keyword!);
      expect(all.ceiling).toBeLessThan(1.5 * keyword[0]!.keyword!);
      const one = await evidence({ text: 'copper' });
      expect(all.ceiling).toBeCloseTo(2 * one.ceiling, 9);
      // Rare words weigh more, and unknown ones most.
      const ceilings = await Promise.all(['spoon', 'copper', 'sonnets'].map((text) => evidence({ text })));
      expect(ceilings.map(({ ceiling }) => ceiling)).toEqual(
        ceilings.map(({ ceiling }) => ceiling).sort((a, b) => a - b),
      );
      expect((await evidence({ text: '' })).ceiling).toBe(0);
    });

    it('counts entities, units and vectors, and has the mean of the vectors', async () => {
      const empty = { entities: 0, units: 0, vectors: 0, missingVectors: 0, meanVector: null };
      expect(await evidence({ text: 'copper' })).toMatchObject(empty);
      await bench.engine.store.put([
        tool('/a', 'copper'),
        tool('/b', 'kettle'),
        indexed(server('/s', 'x', { tools: [{ name: 'spoon' }] }), { vectors: false }),
      ]);
      const { meanVector, ...counts } = await evidence({ text: 'copper' });
      expect(counts).toMatchObject({ entities: 3, units: 4, vectors: 2, missingVectors: 2 });
      const [a, b] = ['copper', 'kettle'].map((text) => toyVector(text)).map((x) => x.map((v) => v / Math.hypot(...x)));
      expect([...meanVector!]).toEqual(Array.from(a!, (x, i) => expect.closeTo((x + b![i]!) / 2, 5)));
    });

    it('takes every statistic from the collections that are asked', async () => {
      const page = (path: string, collection: string, name: string, tags: string[] = []) =>
        indexed({ type: 'document', path, name, tags, files: [{ collection, path: name }] });
      await bench.engine.store.put([page('/1', 'house', 'copper kettle'), page('/2', 'house', 'copper lamp')]);
      const asked = { text: 'copper kettle spoon', filter: { collections: ['House'] }, hashtags: ['metal'] };
      const alone = await ask(asked);
      expect(alone.evidence).toMatchObject({ entities: 2, units: 2, unknownTags: ['metal'] });
      const { hashtags: _, ...words } = asked;
      const scores = async () => (await ask(words)).keyword.map(({ unit, keyword }) => [unit, keyword]);
      const before = [await scores(), await evidence(words)];
      await bench.engine.store.put([
        page('/3', 'boats', 'kettle', ['metal']),
        tool('/spoon', 'kettle spoon', { tags: ['metal'] }),
      ]);
      expect([await scores(), await evidence(words)]).toEqual(before);
      expect(await ask(asked)).toEqual(alone);
      const both = await evidence({ ...words, filter: { collections: ['house', 'boats'] } });
      expect([both.entities, (await evidence({ text: 'copper' })).entities]).toEqual([3, 4]);
    });

    it('finds the names that a caller may read, joined, the first by id', async () => {
      const index = () => bench.engine.index;
      const hidden = { visibility: 'private', owner: 'ada' };
      await bench.engine.store.put([
        tool('/b', 'Git Hub'),
        tool('/a', 'GitHub'),
        tool('/0', 'git-hub', hidden),
        tool('/c', 'Zed', hidden),
        indexed({ type: 'memory', path: '/m', name: 'Tea Pot', content: 'x' }),
      ]);
      const names = async (view: ViewClauses) => ['github', 'zed', 'teapot', 'git'].map(await index().names(view));
      expect(await names({})).toEqual(['git-hub', 'Zed', undefined, undefined]);
      expect(await names({ readers: ['public'] })).toEqual(['GitHub', undefined, undefined, undefined]);
      expect(await names({ readers: [] })).toEqual([undefined, undefined, undefined, undefined]);
      await bench.engine.store.put([tool('/a', 'Lamp')]);
      expect((await names({ readers: ['public'] }))[0]).toBe('Git Hub');
      await bench.engine.store.delete([entityId('tool', '/b')]);
      expect((await names({ readers: ['public'] }))[0]).toBeUndefined();
    });

    it('retrieves nothing for unknown hashtags, and names them', async () => {
      await bench.engine.store.put([tool('/a', 'copper', { tags: ['Git Hub'] })]);
      const parts = { text: 'copper', vector: toyVector('copper'), anchors: [anchor('word', 'copper')], cards: true };
      const unknown = await ask({ ...parts, hashtags: ['git hub', 'nobody', 'Else'] });
      expect(unknown.evidence).toMatchObject({ unknownTags: ['nobody', 'Else'], holders: [], units: 1, terms: 1 });
      expect([unknown.units, unknown.keyword, unknown.vector]).toEqual([[], [], null]);
      const known = await ask({ ...parts, hashtags: ['GIT hub'] });
      expect([known.evidence.unknownTags, unitIds(known.keyword)]).toEqual([[], ['tool:/a#card']]);
    });

    it('finds the holders of each anchor within the filter, in unit order', async () => {
      await bench.engine.store.put([
        tool('/c', 'D40 valve'),
        tool('/a', 'valve', { description: 'fits D40' }),
        tool('/b', 'D40', { status: 'draft' }),
        tool('/d', 'D41'),
      ]);
      const anchors = [anchor('code', 'D40'), anchor('code', 'D99'), anchor('word', 'valve')];
      const { holders } = await evidence({ anchors, filter: { statuses: ['active'] } });
      expect(holders.map((held) => [held.anchor, unitIds(held.units), held.count])).toEqual([
        [anchors[0], ['tool:/a#card', 'tool:/c#card'], 2],
        [anchors[1], [], 0],
        [anchors[2], ['tool:/a#card', 'tool:/c#card'], 2],
      ]);
      expect((await evidence({ anchors })).holders[0]!.count).toBe(3);
    });

    it('finds the holder of an address or a package name by the whole of it, else by its words', async () => {
      const repository = 'https://github.com/acme/tools';
      await bench.engine.store.put([
        indexed(server('/a', 'one', { repository, local_runtime: { type: 'npx', package: '@acme/kettle' } } as object)),
        indexed(
          server('/b', 'two', { repository: `${repository}.git`, visibility: 'private', owner: 'ada' } as object),
        ),
        tool('/kettle', 'kettle', { description: 'acme' }),
      ]);
      const holders = async (text: string, filter = {}) => {
        const [anchor] = anchorsIn(text);
        const [held] = (await evidence({ text, anchors: [anchor!], filter })).holders;
        return [held!.byIdentifier, ...unitIds(held!.units)];
      };
      expect(await holders('github.com/Acme/tools/')).toEqual([true, 'mcp_server:/a#card', 'mcp_server:/b#card']);
      expect(await holders('github.com/acme/tools', { readers: ['public'] })).toEqual([true, 'mcp_server:/a#card']);
      expect(await holders('@acme/kettle')).toEqual([true, 'mcp_server:/a#card']);
      expect(await holders('acme/kettle')).toEqual([false, 'tool:/kettle#card']);
      expect(await holders('@acme/spoon')).toEqual([false]);
      // Its words find nothing.
      expect((await ask({ text: 'github tools' })).keyword).toEqual([]);
    });

    it('takes a phrase only in its order', async () => {
      await bench.engine.store.put([
        tool('/a', 'red copper kettle'),
        tool('/b', 'kettle of copper'),
        tool('/c', 'copper', { description: 'kettle' }),
        tool('/d', 'x', { description: 'The Copper   Kettle!' }),
      ]);
      const { holders } = await evidence({ anchors: [anchor('phrase', 'copper kettle')] });
      expect(holders.map(({ units, count }) => [unitIds(units), count])).toEqual([
        [['tool:/a#card', 'tool:/d#card'], 2],
      ]);
    });

    it('reads the text of so many units for a phrase, in the order of their ids', async () => {
      const holding = async (others: number) => {
        const before = Array.from({ length: others }, (_, n) => tool(`/a${100 + n}`, 'kettle of copper'));
        await bench.engine.store.put([...before, tool('/z', 'copper kettle')]);
        const { holders } = await evidence({ anchors: [anchor('phrase', 'copper kettle')] });
        return holders[0]!.count;
      };
      expect(await holding(MAX_PHRASES_READ - 1)).toBe(1);
      expect(await holding(MAX_PHRASES_READ)).toBe(0);
    });

    it('makes what few hold a candidate, also where no leg found it', async () => {
      await bench.engine.store.put([
        tool('/named', 'D40'),
        ...Array.from({ length: 5 }, (_, n) => tool(`/n${n}`, 'kettle kettle')),
      ]);
      const parts = { text: 'kettle', vector: toyVector('kettle'), limit: 2, anchors: [anchor('code', 'D40')] };
      const { units, keyword, vector, evidence } = await ask(parts);
      const [named] = evidence.holders[0]!.units;
      expect(units.at(-1)).toBe(named);
      for (const list of [keyword, vector!]) expect(list).not.toContain(named);
      expect([named!.unit, named!.keyword, named!.vector]).toEqual(['tool:/named#card', null, null]);
      const filled = await ask({ ...parts, text: 'kettle D40', limit: 1, crossScores: true });
      const holder = filled.evidence.holders[0]!.units[0]!;
      expect([holder.keyword, holder.vector]).toEqual([expect.any(Number), expect.any(Number)]);
    });

    it('makes what many hold no candidate, counts all of them and lists the first', async () => {
      const paths = Array.from({ length: MAX_HOLDERS + 5 }, (_, n) => `/n${String(n).padStart(2, '0')}`);
      await bench.engine.store.put(paths.map((path) => tool(path, 'D40')));
      const parts = { text: 'kettle', anchors: [anchor('code', 'D40')], cards: true, crossScores: true };
      const { units, evidence } = await ask(parts);
      expect(units).toEqual([]);
      const [held] = evidence.holders;
      expect(held!.count).toBe(paths.length);
      expect(unitIds(held!.units)).toEqual(paths.slice(0, MAX_HOLDERS).map((path) => `tool:${path}#card`));
      expect(held!.units.map(({ keyword }) => keyword)).toEqual(Array(MAX_HOLDERS).fill(null));
    });

    it('has one object for a unit, whatever lists it is in', async () => {
      await bench.engine.store.put(
        Array.from({ length: 6 }, (_, n) => indexed(server(`/s${n}`, 'D40 D41', { tools: [{ name: `spoon ${n}` }] }))),
      );
      const anchors = [anchor('code', 'D40'), anchor('code', 'D41')];
      const parts = { text: 'spoon', unitKinds: ['tool'], limit: 2, anchors, cards: true, crossScores: true } as const;
      const { units, evidence } = await ask(parts);
      const cards = units.filter(({ kind }) => kind === 'card');
      expect(cards).toHaveLength(2);
      const [first, second] = evidence.holders;
      expect(first!.units.every((found, i) => second!.units[i] === found)).toBe(true);
      for (const card of cards) expect(first!.units).toContain(card);
    });
  });
}
