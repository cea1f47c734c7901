import { describe, expect, it } from 'vitest';
import { entityId } from '../../src/model/entity.ts';
import { entityFacts } from '../../src/model/query/filter.ts';
import { CREATE, DELETE, READ } from '../../src/search/text/action-words.ts';
import { indexed, server, toyVector } from '../support/engine-fixtures.ts';
import { type QueryParts, queryOf, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, SCORERS, useEngine } from './engine-under-test.ts';

/** What a unit that was found can say of itself, then and later. */
export function foundSuite(subject: EngineUnderTest): void {
  describe('a found unit', () => {
    const bench = useEngine(subject);
    const ask = (parts: QueryParts) => bench.engine.index.retrieve(queryOf(parts));

    it('has what filters and facets look at in its entity', async () => {
      const entity = indexed(server('/a', 'copper', { tags: ['Metal', 'metal', 'OLD'], status: 'beta', owner: 'ada' }));
      await bench.engine.store.put([entity]);
      const { keyword } = await ask({ text: 'copper' });
      expect(keyword.map(({ facts }) => facts)).toEqual([entityFacts(entity.entity)]);
      expect(keyword[0]!.facts).toMatchObject({ tags: ['metal', 'old'], status: 'beta', visibility: 'public' });
    });

    it.each(SCORERS)('says which of its fields have words of the query (%s)', async (scorer) => {
      const tools = [{ name: 'copper_kettle', description: 'Boils copper.' }, { name: 'spoon' }];
      await bench.engine.store.put([
        indexed(server('/pots', 'A kettle', { name: 'Copper', tags: ['metal', 'kettles'], tools })),
        indexed({ type: 'tool', path: '/spoon', name: 'spoon' }),
      ]);
      const { units } = await ask({ text: 'copper kettle', scorer, vector: toyVector('spoon') });
      const fields = Object.fromEntries(units.map((found) => [found.unit, found.matchedFields()]));
      expect(fields).toMatchObject({
        'mcp_server:/pots#card': ['name', 'description', 'tags', 'tools'],
        'mcp_server:/pots#tool:copper_kettle': expect.arrayContaining(['name', 'description']),
        'tool:/spoon#card': [],
      });
    });

    it.each(SCORERS)('says how far neighboring words of the query are neighbors in it (%s)', async (scorer) => {
      await bench.engine.store.put([
        indexed(server('/pots', 'A red copper kettle', { name: 'Copper', tools: [{ name: 'kettle_copper' }] })),
        indexed({ type: 'tool', path: '/lamp', name: 'kettle', description: 'with a copper lamp' }),
      ]);
      const adjacent = async (text: string) => {
        const { units } = await ask({ text, scorer, vector: toyVector('spoon') });
        return Object.fromEntries(units.map((found) => [found.unit, found.adjacentWords()]));
      };
      const [card, tool, lamp] = ['mcp_server:/pots#card', 'mcp_server:/pots#tool:kettle_copper', 'tool:/lamp#card'];
      expect(await adjacent('the red copper kettle')).toMatchObject({ [card!]: 1, [tool!]: 0, [lamp!]: 0 });
      expect(await adjacent('red kettles of copper')).toMatchObject({ [tool!]: 0.5, [lamp!]: 0 });
      expect(await adjacent('copper')).toMatchObject({ [card!]: 0, [tool!]: 0, [lamp!]: 0 });
      // Other words, also for a question that was asked before.
      await bench.engine.store.put([
        indexed(server('/pots', 'A kettle, red copper', { name: 'Copper', tools: [{ name: 'kettle_copper' }] })),
        indexed({ type: 'tool', path: '/lamp', name: 'red copper kettle' }),
      ]);
      expect(await adjacent('the red copper kettle')).toMatchObject({ [card!]: 0.5, [lamp!]: 1 });
    });

    it('says what a tool of a server does, by its name', async () => {
      const tools = [{ name: 'delete_pot' }, { name: 'getPots' }, { name: 'pot' }];
      const actions = async (path: string) => {
        await bench.engine.store.put([indexed(server(path, 'Create a pot', { name: 'delete', tools }))]);
        const { units } = await ask({ text: 'pot', toolsAsResults: true });
        return Object.fromEntries(units.map((found) => [found.title, found.actions]));
      };
      expect(await actions('/pots')).toEqual({ delete: 0, delete_pot: DELETE, getPots: READ, pot: 0 });
      // Another server in the same rows.
      await bench.engine.store.delete([entityId('mcp_server', '/pots')]);
      tools.splice(0, 3, { name: 'pot' }, { name: 'create_pot' }, { name: 'delete_pot' });
      expect(await actions('/jars')).toEqual({ delete: 0, pot: 0, create_pot: CREATE, delete_pot: DELETE });
    });

    it('has the same group as the other units of its entity, and as no other', async () => {
      const tools = [{ name: 'pot' }, { name: 'pots' }];
      await bench.engine.store.put(['/a', '/b', '/c'].map((path) => indexed(server(path, 'A pot', { tools }))));
      await bench.engine.store.delete([entityId('mcp_server', '/b')]);
      await bench.engine.store.put([indexed({ type: 'tool', path: '/d', name: 'pot' })]);
      // What an earlier search found has no say in the numbers of this one.
      for (const id of [entityId('mcp_server', '/a'), entityId('mcp_server', '/c'), entityId('tool', '/d')])
        await ask({ text: 'pot', filter: { entities: [id] } });
      const { units } = await ask({ text: 'pot', vector: toyVector('pot') });
      const byEntity = new Map(units.map(({ entity, group }) => [entity, group]));
      expect(units).toHaveLength(7);
      for (const { entity, group } of units) expect(byEntity.get(entity)).toBe(group);
      expect(new Set(byEntity.values()).size).toBe(3);
    });

    it('explains no score that it does not have', async () => {
      await bench.engine.store.put([
        indexed({ type: 'tool', path: '/said', name: 'copper' }),
        indexed({ type: 'tool', path: '/near', name: 'kettle', description: 'of copper' }),
        indexed({ type: 'tool', path: '/far', name: 'spoon' }),
      ]);
      const parts = { text: 'copper', vector: toyVector('kettle of copper'), limit: 1 };
      const explained = async (more: QueryParts) => {
        const { units } = await ask({ ...parts, ...more });
        for (const found of units) expect(found.explainKeyword()?.value ?? null).toBe(found.keyword);
        return Object.fromEntries(units.map((found) => [found.unit, found.explainKeyword() !== undefined]));
      };
      // The neighbor has the word too, but only a score that was filled in is explained.
      expect(await explained({})).toEqual({ 'tool:/near#card': false, 'tool:/said#card': true });
      expect(await explained({ crossScores: true })).toEqual({ 'tool:/near#card': true, 'tool:/said#card': true });
      expect(await explained({ text: 'spoon', crossScores: true })).toEqual({
        'tool:/near#card': false,
        'tool:/far#card': true,
      });
    });

    it('has nothing more to say once it was replaced or deleted, and still has its scores', async () => {
      const { store } = bench.engine;
      const put = () =>
        store.put(['/a', '/b', '/c'].map((path) => indexed({ type: 'tool', path, name: 'copper pot' })));
      await put();
      const { keyword } = await ask({ text: 'copper pot' });
      const scores = keyword.map((found) => found.keyword);
      const telling = () => unitIds(keyword.filter((found) => found.matchedFields().length > 0));
      const explaining = () => unitIds(keyword.filter((found) => found.explainKeyword() !== undefined));
      const adjoining = () => unitIds(keyword.filter((found) => found.adjacentWords() > 0));
      expect(telling()).toEqual(['tool:/a#card', 'tool:/b#card', 'tool:/c#card']);
      expect(adjoining()).toEqual(telling());
      await store.delete([entityId('tool', '/a')]);
      await store.put([indexed({ type: 'tool', path: '/b', name: 'kettle' })]);
      for (const said of [telling(), explaining(), adjoining()]) expect(said).toEqual(['tool:/c#card']);
      // The same ids with the same words are other units: what was found is not what is there now.
      await put();
      expect([telling(), explaining(), adjoining()]).toEqual([[], [], []]);
      expect(keyword.map((found) => found.keyword)).toEqual(scores);
    });
  });
}
