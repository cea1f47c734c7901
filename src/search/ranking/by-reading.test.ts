import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../test/support/add-up-error.ts';
import { foundUnit, type Lists, retrievedOf } from '../../../test/support/rank-lists.ts';
import { searchRequestSchema } from '../../model/query/query.ts';
import { CONCEPTUAL } from '../identifier/classify-query.ts';
import { planSearch } from '../plan/plan.ts';
import type { FoundUnit } from '../retrieval/retrieval.ts';
import { MAX_READ, type RerankMode, unitsToRead } from './by-reading.ts';
import { fuse } from './fuse.ts';
import { choose, rank } from './rank.ts';

const tool = (path: string, name: string, scores: { keyword?: number; vector?: number }) =>
  foundUnit({ path, key: `tool:${name}`, ...scores });

const pause = tool('/desk', 'pause_alarm', { keyword: 6, vector: 0.6 });
const list = tool('/desk', 'list_alarms', { keyword: 5.9, vector: 0.6 });
const silence = tool('/watch', 'silence_host', { keyword: 5.8, vector: 0.59 });
const far = tool('/far', 'paint_wall', { keyword: 0.5, vector: 0.1 });
const CLOSE: Lists = { vector: [pause, list, silence, far], keyword: [pause, list, silence, far] };
const CLEAR: Lists = { vector: [pause, far], keyword: [pause, far] };

function searched(lists: Lists, request: object, mode: RerankMode, knows: ReadonlyMap<FoundUnit, number> = new Map()) {
  const plan = planSearch(searchRequestSchema.parse({ query: 'keep web-07 quiet', explain: true, ...request }));
  const retrieved = retrievedOf(lists);
  const evidence = { ...retrieved.evidence, bestKeyword: 9, adjacent: 0, cosines: { best: 0.62, floor: 0 } };
  const input = { retrieved, classification: CONCEPTUAL, evidence, dead: new Set<never>() };
  const fused = fuse(plan, input);
  const units = unitsToRead(choose(plan, input, fused), plan, mode);
  const readings = new Map(units.map((unit) => [unit.unit, knows.get(unit) ?? 0]));
  const shown = (page: ReturnType<typeof rank>['page']) => page.map(({ best }) => best.found.title);
  const page = rank(plan, input, fused, { readings }).page;
  const without = rank(plan, input, fused).page;
  return { units: units.map(({ title }) => title), page, without, shown: shown(page), before: shown(without) };
}

describe('the tools that are read', () => {
  it('are the first ones, of every server, where they are close', () => {
    expect(searched(CLOSE, {}, 'auto').units).toEqual(['pause_alarm', 'silence_host', 'list_alarms']);
    expect(searched(CLOSE, { entity_types: ['tool'] }, 'auto').units).toHaveLength(3);
  });

  it('are none where the first tool is clear, unless they are always read', () => {
    expect(searched(CLEAR, {}, 'auto').units).toEqual([]);
    expect(searched(CLEAR, {}, 'always').units).toEqual(['pause_alarm', 'paint_wall']);
  });

  it('are none with `off`, in another preset, for a long query and for one of several parts', () => {
    expect(searched(CLOSE, {}, 'off').units).toEqual([]);
    for (const preset of ['registry', 'rrf', 'keyword', 'vector', 'recommend', 'memory'])
      expect(searched(CLOSE, { preset }, 'always').units, preset).toEqual([]);
    expect(searched(CLOSE, { query: `keep quiet ${'x'.repeat(300)}` }, 'always').units).toEqual([]);
    const needs = 'Keep the host web-07 quiet tonight. Send the bill to accounting tomorrow.';
    expect(searched(CLOSE, { query: needs }, 'always').units).toEqual([]);
  });

  it.each(['auto', 'always'] as const)('are a few at most with %s', (mode) => {
    const many = Array.from({ length: 30 }, (_, at) => tool(`/s${at}`, `t${at}`, { keyword: 5, vector: 0.5 }));
    expect(searched({ vector: many, keyword: many }, {}, mode).units).toHaveLength(MAX_READ[mode]);
  });
});

describe('the order by reading', () => {
  it('shows the tool of a server that was read as the answer', () => {
    const { shown, before } = searched(CLOSE, {}, 'auto', new Map([[list, 4]]));
    expect(before[0]).toBe('pause_alarm');
    expect(shown).toEqual(['list_alarms', 'silence_host', 'paint_wall']);
  });

  it('moves a server up whose tool was read as the answer', () => {
    const { shown } = searched(CLOSE, {}, 'auto', new Map([[silence, 4]]));
    expect(shown).toEqual(['silence_host', 'pause_alarm', 'paint_wall']);
  });

  it('keeps the scores of the places, so a result that was not read is not passed by chance', () => {
    const tools = { entity_types: ['tool'] };
    const { page, without, shown } = searched(CLOSE, tools, 'auto', new Map([[silence, 4]]));
    expect(page.map(({ score }) => score)).toEqual(without.map(({ score }) => score));
    expect(shown).toEqual(['silence_host', 'pause_alarm', 'list_alarms', 'paint_wall']);
  });

  it('changes nothing if all are read alike, or none', () => {
    const { shown, before } = searched(CLOSE, {}, 'auto');
    expect(shown).toEqual(before);
    expect(searched(CLEAR, {}, 'auto').shown).toEqual(searched(CLEAR, {}, 'off').before);
  });

  it('does not believe a reading against a large lead', () => {
    expect(searched(CLOSE, {}, 'always', new Map([[far, 4]])).shown[0]).toBe('pause_alarm');
  });

  it('is explained by one leaf, with parts that add up', () => {
    for (const request of [{}, { entity_types: ['tool'] }]) {
      const { page } = searched(CLOSE, request, 'auto', new Map([[silence, 4]]));
      for (const { score, explain } of page) {
        expect(explain!().value).toBeCloseTo(score, 9);
        expect(addUpError(explain!())).toBeLessThan(1e-9);
      }
      expect(JSON.stringify(page[0]!.explain!())).toContain('"read together with the query"');
      expect(JSON.stringify(page[0]!.explain!())).toContain('"tool":"silence_host","reading":4');
    }
  });
});
