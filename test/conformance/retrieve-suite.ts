import { describe, expect, it } from 'vitest';
import { entityId } from '../../src/model/entity.ts';
import type { Retrieved } from '../../src/search/retrieval/retrieval.ts';
import { indexed, server, toyVector } from '../support/engine-fixtures.ts';
import { type QueryParts, queryOf, retrieveText, retrieveVector, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, SCORERS, useEngine } from './engine-under-test.ts';

const tool = (path: string, name: string, more: object = {}) => ({ type: 'tool', path, name, ...more }) as const;

/** The scores of both legs for each unit of an answer. */
function scoresOf({ units }: Retrieved): Readonly<Record<string, readonly [keyword: boolean, vector: boolean]>> {
  return Object.fromEntries(units.map(({ unit, keyword, vector }) => [unit, [keyword !== null, vector !== null]]));
}

/** Both legs of one query together: what they say of each other's finds, and how much they fetch. */
export function retrieveSuite(subject: EngineUnderTest): void {
  describe('in one call', () => {
    const bench = useEngine(subject);
    const ask = (parts: QueryParts) => bench.engine.index.retrieve(queryOf(parts));

    it('gives every unit once: the vector list, then what only the keyword leg found, then cards', async () => {
      const tools = [{ name: 'copper' }, { name: 'other' }];
      await bench.engine.store.put([
        indexed(tool('/kettle', 'kettle')),
        indexed(tool('/both', 'copper kettle')),
        indexed(server('/shop', 'none', { tools }), { vectors: false }),
      ]);
      const { units, keyword, vector } = await ask({ text: 'copper', vector: toyVector('kettle'), cards: true });
      expect(unitIds(vector!)).toEqual(['tool:/kettle#card', 'tool:/both#card']);
      expect(unitIds(keyword)).toContain('mcp_server:/shop#tool:copper');
      const expected = [...vector!, ...keyword.filter((found) => !vector!.includes(found))];
      expect(units.slice(0, expected.length)).toEqual(expected);
      expect(new Set(unitIds(units)).size).toBe(units.length);
      for (const found of [...keyword, ...vector!]) expect(units).toContain(found);
    });

    it('asks one leg alone as it does in both', async () => {
      await bench.engine.store.put(['/a', '/b', '/c'].map((path) => indexed(tool(path, `copper ${path}`))));
      const parts = { text: 'copper', vector: toyVector('copper'), limit: 2 };
      const { keyword, vector } = await ask(parts);
      const { index } = bench.engine;
      expect(unitIds(await retrieveText(index, { text: 'copper', limit: 2 }))).toEqual(unitIds(keyword));
      expect(unitIds(await retrieveVector(index, { vector: parts.vector, limit: 2 }))).toEqual(unitIds(vector!));
      expect((await ask({ text: 'copper' })).vector).toBeNull();
    });

    it.each([true, false])('fills in what the other leg says, if it is asked to (%s)', async (crossScores) => {
      await bench.engine.store.put([
        indexed(tool('/near', 'kettle')),
        indexed(tool('/said', 'copper')),
        indexed(tool('/mute', 'copper kettle'), { vectors: false }),
        indexed(tool('/far', 'sonnet')),
      ]);
      const parts = { text: 'copper', vector: toyVector('kettle'), limit: 2, crossScores };
      const found = await ask({
        ...parts,
        filter: { entities: ['/near', '/said'].map((path) => entityId('tool', path)) },
      });
      // Of two units, both are neighbors; only one has the word.
      expect(scoresOf(found)).toEqual({ 'tool:/near#card': [false, true], 'tool:/said#card': [true, true] });
      // The nearest is left to the vector leg; what has the word and no vector has no cosine to fill in.
      expect(scoresOf(await ask({ ...parts, limit: 1 }))).toEqual(
        crossScores
          ? { 'tool:/near#card': [false, true], 'tool:/said#card': [true, true] }
          : { 'tool:/near#card': [false, true], 'tool:/said#card': [true, false] },
      );
      const mute = await ask({ ...parts, text: 'copper kettle', limit: 1 });
      expect(scoresOf(mute)).toEqual(
        crossScores
          ? { 'tool:/near#card': [true, true], 'tool:/mute#card': [true, false] }
          : { 'tool:/near#card': [false, true], 'tool:/mute#card': [true, false] },
      );
      for (const { vector } of (await ask({ text: 'copper', crossScores })).units) expect(vector).toBeNull();
    });

    it.each(SCORERS)('fills in the very scores that the legs give (%s)', async (scorer) => {
      const words = ['copper', 'kettle', 'copper kettle', 'tin', 'tin copper tin'];
      await bench.engine.store.put(words.map((name, n) => indexed(tool(`/${n}`, name))));
      const parts = { text: 'copper tin', scorer, vector: toyVector('kettle'), crossScores: true };
      const all = await ask(parts);
      const byUnit = new Map(all.units.map((found) => [found.unit, found]));
      const few = await ask({ ...parts, limit: 2 });
      expect(few.units.length).toBeGreaterThan(2);
      for (const { unit, keyword, vector } of few.units) {
        expect(keyword).toBe(byUnit.get(unit)!.keyword);
        expect(vector).toBeCloseTo(byUnit.get(unit)!.vector!, 6);
      }
    });

    it('brings the card of every part, with its scores, also of a tool that is a result itself', async () => {
      const tools = [{ name: 'copper' }];
      await bench.engine.store.put([
        indexed(server('/shop', 'kettle', { tools })),
        indexed({ type: 'skill', path: '/s', name: 'none', body: '# One\ncopper' }),
      ]);
      const parts = { text: 'copper', vector: toyVector('copper'), unitKinds: ['tool', 'section'], limit: 5 } as const;
      const cardsIn = ({ units }: Retrieved) => unitIds(units.filter(({ kind }) => kind === 'card')).sort();
      expect(cardsIn(await ask(parts))).toEqual([]);
      expect(cardsIn(await ask({ ...parts, cards: true }))).toEqual(['mcp_server:/shop#card', 'skill:/s#card']);
      const asResults = await ask({ ...parts, cards: true, toolsAsResults: true });
      expect(cardsIn(asResults)).toEqual(['mcp_server:/shop#card', 'skill:/s#card']);
      const { units, keyword, vector } = await ask({ ...parts, cards: true, crossScores: true });
      const card = units.find(({ unit }) => unit === 'mcp_server:/shop#card')!;
      expect([card.keyword, card.vector]).toEqual([expect.any(Number), expect.any(Number)]);
      for (const list of [keyword, vector!]) expect(list).not.toContain(card);
    });

    it('holds each leg to its own kinds of units and its own limit', async () => {
      const tools = Array.from({ length: 4 }, (_, n) => ({ name: `copper ${n}` }));
      await bench.engine.store.put([indexed(server('/shop', 'copper', { tools }))]);
      const query = queryOf({ text: 'copper', vector: toyVector('copper') });
      const { keyword, vector } = await bench.engine.index.retrieve({
        ...query,
        keyword: { scorer: 'bm25f', unitKinds: ['card'], limit: 10 },
        vector: { ...query.vector!, unitKinds: ['tool'], limit: 3 },
      });
      expect(unitIds(keyword)).toEqual(['mcp_server:/shop#card']);
      expect(vector!.map(({ kind }) => kind)).toEqual(['tool', 'tool', 'tool']);
      const within = { text: 'copper', vector: toyVector('copper'), filter: { unitKinds: ['tool'] } } as const;
      const both = await ask({ ...within, unitKinds: ['card', 'tool'] });
      for (const list of [both.keyword, both.vector!]) expect(list).toHaveLength(4);
      expect((await ask({ ...within, unitKinds: ['card'] })).units).toEqual([]);
      const none = await ask({ text: 'copper', vector: toyVector('copper'), limit: 0 });
      expect([none.units, none.keyword, none.vector]).toEqual([[], [], []]);
    });

    it('fetches neighbors for each type on its own, and a tool of a server once', async () => {
      const tools = [{ name: 'copper' }];
      await bench.engine.store.put([
        ...Array.from({ length: 6 }, (_, n) => indexed(tool(`/t${n}`, 'copper'))),
        indexed(server('/shop', 'sonnet', { tools })),
        indexed({ type: 'skill', path: '/s', name: 'sonnet' }),
        indexed({ type: 'skill', path: '/draft', name: 'copper', status: 'draft' }),
      ]);
      const parts = { vector: toyVector('copper'), limit: 2, perType: true } as const;
      const found = async (more: QueryParts) => {
        const { vector } = await ask({ ...parts, ...more });
        const cosines = vector!.map((found) => found.vector!);
        expect(cosines).toEqual([...cosines].sort((a, b) => b - a));
        return unitIds(vector!).sort();
      };
      expect(await found({ unitKinds: ['card'], filter: { statuses: ['active'] } })).toEqual([
        'mcp_server:/shop#card',
        'skill:/s#card',
        'tool:/t0#card',
        'tool:/t1#card',
      ]);
      expect(await found({ filter: { types: ['skill'] } })).toEqual(['skill:/draft#card', 'skill:/s#card']);
      // The tool of the server is in the lists of both types.
      const entities = [entityId('mcp_server', '/shop'), entityId('tool', '/t0')];
      expect(await found({ filter: { types: ['tool', 'server_tool', 'mcp_server'], entities } })).toEqual([
        'mcp_server:/shop#card',
        'mcp_server:/shop#tool:copper',
        'tool:/t0#card',
      ]);
    });

    it('fetches more until there are enough different results, or no more units', async () => {
      const tools = Array.from({ length: 30 }, (_, n) => ({ name: `copper ${n}`, description: 'copper copper' }));
      await bench.engine.store.put([
        indexed(server('/shop', 'copper', { tools })),
        indexed(tool('/weak', 'a thing of many other words, with copper among them')),
      ]);
      const parts = { text: 'copper', vector: toyVector('copper'), limit: 4 };
      const results = async (more: QueryParts) => {
        const { keyword, vector } = await ask({ ...parts, ...more });
        return [keyword, vector!].map((list) => [list.length, new Set(list.map(({ entity }) => entity)).size]);
      };
      expect(await results({ results: 1 })).toEqual([
        [4, 1],
        [4, 1],
      ]);
      expect(await results({ results: 2 })).toEqual([
        [32, 2],
        [32, 2],
      ]);
      expect(await results({ results: 3 })).toEqual([
        [32, 2],
        [32, 2],
      ]);
      // A tool is a result of its own: four units are four results.
      expect(await results({ results: 4, toolsAsResults: true })).toEqual([
        [4, 1],
        [4, 1],
      ]);
    });
  });
}
