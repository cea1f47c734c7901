import { describe, expect, it } from 'vitest';
import { entityId } from '../../src/model/entity.ts';
import type { Filter } from '../../src/model/query/filter.ts';
import { addUpError } from '../support/add-up-error.ts';
import { indexed, server } from '../support/engine-fixtures.ts';
import { type QueryParts, queryOf, retrieveText, unitIds } from '../support/retrieve.ts';
import { type EngineUnderTest, SCORERS, useEngine } from './engine-under-test.ts';

const bm25f = (text: string, more: QueryParts = {}) => ({ text, ...more });
const boost = (text: string) => bm25f(text, { scorer: 'boost' });

/** The keyword leg: what is found, in what order, within what filter. */
export function keywordSuite(subject: EngineUnderTest): void {
  describe('by keyword', () => {
    const bench = useEngine(subject);

    it('finds a unit as soon as it was put, and says which part of which entity it is', async () => {
      const { engine } = bench;
      const tools = [{ name: 'fold_paper', description: 'Makes a crane' }];
      await engine.store.put([indexed(server('/origami', 'Paper art', { tools } as object))]);
      const [hit] = await retrieveText(engine.index, bm25f('crane', { filter: { unitKinds: ['tool'] } }));
      expect(hit).toMatchObject({
        unit: 'mcp_server:/origami#tool:fold_paper',
        entity: 'mcp_server:/origami',
        type: 'mcp_server',
        kind: 'tool',
        title: 'fold_paper',
      });
      expect(hit?.score).toBeGreaterThan(0);
    });

    it('no longer finds what a replacement took away', async () => {
      const { engine } = bench;
      const tools = [{ name: 'sextant' }, { name: 'compass' }];
      await engine.store.put([indexed(server('/ship', 'astrolabe', { tools } as object))]);
      await engine.store.put([indexed(server('/ship', 'chronometer', { tools: [{ name: 'compass' }] } as object))]);
      expect(await retrieveText(engine.index, bm25f('sextant'))).toEqual([]);
      expect(await retrieveText(engine.index, bm25f('astrolabe'))).toEqual([]);
      expect(unitIds(await retrieveText(engine.index, bm25f('chronometer')))).toEqual(['mcp_server:/ship#card']);
      expect(unitIds(await retrieveText(engine.index, bm25f('compass')))).toContain('mcp_server:/ship#tool:compass');
      expect(await retrieveText(engine.index, boost('astrolabe sextant'))).toEqual([]);
    });

    it.each(SCORERS)('filters before it limits (%s)', async (scorer) => {
      const { engine } = bench;
      const hidden = Array.from({ length: 100 }, (_, i) =>
        indexed(server(`/kettle-${i}`, 'kettle kettle', { name: 'kettle', status: 'draft' })),
      );
      const shown = ['/x', '/y', '/z'].map((path) =>
        indexed(server(path, `a long description of many other things, and also a kettle`, { name: 'other' })),
      );
      await engine.store.put([...hidden, ...shown]);
      const hits = await retrieveText(engine.index, {
        text: 'kettle',
        scorer,
        filter: { statuses: ['active'], unitKinds: ['card'] },
        limit: 3,
      });
      expect([...unitIds(hits)].sort()).toEqual(['mcp_server:/x#card', 'mcp_server:/y#card', 'mcp_server:/z#card']);
    });

    it('holds each clause of a filter', async () => {
      const { engine } = bench;
      await engine.store.put([
        indexed(server('/plain', 'quill')),
        indexed(server('/off', 'quill', { is_enabled: false })),
        indexed(server('/old', 'quill', { status: 'deprecated' })),
        indexed(server('/tagged', 'quill', { tags: ['Pen', 'ink'] })),
        indexed(server('/mine', 'quill', { visibility: 'private', owner: 'ada' })),
        indexed(server('/ours', 'quill', { visibility: 'group-restricted', allowed_groups: ['ops'] })),
        indexed({ type: 'skill', path: '/skill', name: 'quill' }),
        indexed(server('/toolbox', 'nothing', { tools: [{ name: 'quill' }] } as object)),
      ]);
      const found = async (filter: Filter) => {
        const hits = await retrieveText(engine.index, bm25f('quill', { filter, limit: 100 }));
        return [...new Set(hits.map(({ entity }) => entity.split(':')[1]))].sort();
      };
      expect(await found({ types: ['skill'] })).toEqual(['/skill']);
      expect(await found({ types: ['server_tool'] })).toEqual(['/toolbox']);
      expect(await found({ types: ['tool'] })).toEqual([]);
      expect(await found({ types: [] })).toEqual([]);
      expect(await found({ statuses: ['deprecated'] })).toEqual(['/old']);
      expect(await found({ enabled: false })).toEqual(['/off']);
      expect(await found({ tags: ['PEN', 'ink'] })).toEqual(['/tagged']);
      expect(await found({ tags: ['pen', 'paper'] })).toEqual([]);
      expect(await found({ readers: ['user:ada'] })).toEqual(['/mine']);
      expect(await found({ readers: ['group:ops', 'user:ada'] })).toEqual(['/mine', '/ours']);
      expect(await found({ readers: [] })).toEqual([]);
      expect(await found({ unitKinds: ['tool'] })).toEqual(['/toolbox']);
      expect(await found({ entities: [entityId('mcp_server', '/plain'), entityId('skill', '/x')] })).toEqual([
        '/plain',
      ]);
      expect(
        await found({ statuses: ['active'], enabled: true, readers: ['public'], types: ['skill', 'server_tool'] }),
      ).toEqual(['/skill', '/toolbox']);
    });

    it('follows a filter whose answer changed with a write', async () => {
      const { engine } = bench;
      const query = bm25f('anvil', { filter: { statuses: ['active'], enabled: true } });
      await engine.store.put([indexed(server('/a', 'anvil'))]);
      expect(await retrieveText(engine.index, query)).toHaveLength(1);
      await engine.store.put([indexed(server('/a', 'anvil', { is_enabled: false })), indexed(server('/b', 'anvil'))]);
      expect(unitIds(await retrieveText(engine.index, query))).toEqual(['mcp_server:/b#card']);
    });

    it.each(SCORERS)('orders equal scores by unit id, and always alike (%s)', async (scorer) => {
      const { engine } = bench;
      const names = Array.from({ length: 30 }, (_, i) => `/n${String((i * 7) % 30).padStart(2, '0')}`);
      for (const path of names) await engine.store.put([indexed(server(path, 'twine', { name: 'same' }))]);
      await engine.store.delete([entityId('mcp_server', '/n03')]);
      await engine.store.put([indexed(server('/n035', 'twine', { name: 'same' }))]);
      const query = { text: 'twine', scorer, filter: { unitKinds: ['card'] }, limit: 7 } as const;
      const hits = await retrieveText(engine.index, query);
      const ids = ['00', '01', '02', '035', '04', '05', '06'].map((n) => `mcp_server:/n${n}#card`);
      expect(unitIds(hits)).toEqual(ids);
      expect(await retrieveText(engine.index, query)).toEqual(hits);
    });

    it('ranks by the substring boost: path 5, name 3, description 2, tags 1.5, metadata 1, each tool 1', async () => {
      const { engine } = bench;
      const tools = [{ name: 'loomer' }, { name: 'x', description: 'a loom' }, { name: 'y' }];
      await engine.store.put([
        indexed(server('/looms', 'of no use', { name: 'a' })),
        indexed(server('/b', 'a handloom', { name: 'heirloom' })),
        indexed(server('/c', 'none', { name: 'c', tags: ['x', 'loom-ish'], metadata: { k: 'LOOM' } })),
        indexed(server('/d', 'none', { name: 'd', tools } as object)),
        indexed(server('/e', 'none', { name: 'e' })),
      ]);
      const hits = await retrieveText(engine.index, boost('Loom'));
      expect(hits.map(({ entity, score }) => [entity, score])).toEqual([
        ['mcp_server:/b', 5],
        ['mcp_server:/looms', 5],
        ['mcp_server:/c', 2.5],
        ['mcp_server:/d', 2],
      ]);
    });

    it('gives every unit that passes the filter 1, whatever the text', async () => {
      const { engine } = bench;
      const tools = [{ name: 'one' }];
      await engine.store.put(['/b', '/a'].map((path) => indexed(server(path, 'x', { tags: ['t'], tools } as object))));
      const query = bm25f('', { scorer: 'constant', filter: { tags: ['t'], unitKinds: ['card'] } });
      const hits = await retrieveText(engine.index, query);
      expect(hits.map(({ unit, score }) => [unit, score])).toEqual([
        ['mcp_server:/a#card', 1],
        ['mcp_server:/b#card', 1],
      ]);
    });

    it('gives the share of the query’s terms that a unit has', async () => {
      const { engine } = bench;
      await engine.store.put([
        indexed({ type: 'tool', path: '/half', name: 'copper' }),
        indexed({ type: 'tool', path: '/all', name: 'copper kettle' }),
        indexed({ type: 'tool', path: '/none', name: 'spoon' }),
      ]);
      const hits = await retrieveText(engine.index, bm25f('kettle copper', { scorer: 'coverage' }));
      expect(hits.map(({ entity, score }) => [entity, score])).toEqual([
        ['tool:/all', 1],
        ['tool:/half', 0.5],
      ]);
    });

    it.each(SCORERS)('explains each score, and the parts add up (%s)', async (scorer) => {
      const { engine } = bench;
      const tools = [{ name: 'saw', description: 'cuts timber' }, { name: 'plane' }];
      await engine.store.put([
        indexed(server('/timber', 'Saws timber and planks', { tags: ['saw'], tools } as object)),
        indexed(server('/b', 'timber')),
      ]);
      const { keyword } = await engine.index.retrieve(queryOf({ text: 'saw timber', scorer }));
      expect(keyword.length).toBeGreaterThan(0);
      for (const found of keyword) {
        const why = found.explainKeyword();
        expect(why?.value).toBeCloseTo(found.keyword!, 9);
        expect(addUpError(why!)).toBeLessThan(1e-9);
      }
    });

    it.each([
      ['Chinese', '数据库查询工具', '查询'],
      ['Japanese', 'カレンダーの予定を検索する', 'カレンダー'],
      ['Korean', '날씨 예보를 알려줍니다', '날씨'],
      ['Russian', 'Переводит документы', 'документы'],
      ['Arabic', 'البحث في المستندات', 'المستندات'],
      ['Greek', 'Αναζήτηση αρχείων', 'αρχείων'],
      ['French without its accents', 'Résumé des métriques', 'metriques'],
    ])('finds text in %s', async (_, description, text) => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', description)), indexed(server('/b', 'something else'))]);
      expect(unitIds(await retrieveText(engine.index, bm25f(text)))).toEqual(['mcp_server:/a#card']);
    });

    it.each(['', '   ', '?!', '\0', '\ud800'])('answers a query without words (%j) with nothing', async (text) => {
      const { engine } = bench;
      await engine.store.put([indexed(server('/a', 'word'))]);
      expect(await retrieveText(engine.index, bm25f(text))).toEqual([]);
      expect(await retrieveText(engine.index, boost(text))).toEqual([]);
    });

    it('answers nothing from an empty index', async () => {
      for (const scorer of SCORERS) {
        expect(await retrieveText(bench.engine.index, { text: 'word', scorer })).toEqual([]);
      }
    });
  });
}
