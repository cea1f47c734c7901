import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../test/support/add-up-error.ts';
import { candidateOf, scoredUnit } from '../../../test/support/candidates.ts';
import { foundUnit } from '../../../test/support/rank-lists.ts';
import { leaf, sum } from '../../model/answer/explanation.ts';
import { entityId } from '../../model/entity.ts';
import type { QueryClassification } from '../identifier/classify-query.ts';
import type { Candidate } from './candidates/candidate.ts';
import { exactlyNamed, multiplyAnchorHolders, promoteAnchorHolders, promoteNamed } from './promote-candidates.ts';

const ENTITIES = { toolsAsResults: false };

const cardOf = (path: string, title = path) => foundUnit({ path, type: 'document', title, keyword: 1 });

function candidate(name: string, score: number, title = name): Candidate {
  const explain = () => sum('fusion', [leaf('keyword', score / 4), leaf('vector', score - score / 4)]);
  return candidateOf([scoredUnit(cardOf(name, title))], { score, explain });
}

/** One anchor for each list of holders. */
function classified(
  queryClass: QueryClassification['class'],
  ...holders: readonly (readonly string[])[]
): QueryClassification {
  const anchors = holders.map((names, i) => ({
    anchor: { kind: 'code' as const, text: `D4${i}`, terms: [`d4${i}`] },
    units: names.map((name) => cardOf(name)),
    count: names.length,
    byIdentifier: false,
  }));
  return { class: queryClass, anchors, needsNoVector: false };
}

const names = (candidates: readonly Candidate[]) => candidates.map(({ entity }) => entity.replace('document:', ''));
const five = [candidate('a', 1), candidate('b', 0.8), candidate('c', 0.6), candidate('d', 0.4), candidate('e', 0.2)];

function expectExplained(candidates: readonly Candidate[]): void {
  for (const { score, explain } of candidates) {
    const explanation = explain!();
    expect(explanation.value).toBeCloseTo(score, 9);
    expect(addUpError(explanation)).toBeLessThan(1e-9);
  }
}

describe('promoteAnchorHolders', () => {
  const order = (query: QueryClassification) => names(promoteAnchorHolders(five, ENTITIES, query)).join('');

  it('puts holders first when the query has only identifiers, holders of more anchors before holders of fewer', () => {
    expect(order(classified('identifier', ['e']))).toBe('eabcd');
    expect(order(classified('identifier', ['e', 'd'], ['e']))).toBe('edabc');
    expect(order(classified('identifier', ['e'], ['d']))).toBe('deabc');
  });

  it('keeps the order among holders', () => {
    expect(order(classified('identifier', ['e', 'd']))).toBe('deabc');
  });

  it('moves the best holder to place 3 when the query has other words', () => {
    expect(order(classified('mixed', ['e', 'd']))).toBe('abdce');
  });

  it('changes nothing when a holder is among the first three, or no candidate is a holder', () => {
    expect(promoteAnchorHolders(five, ENTITIES, classified('mixed', ['c', 'e']))).toBe(five);
    expect(promoteAnchorHolders(five, ENTITIES, classified('identifier', ['z']))).toBe(five);
    expect(promoteAnchorHolders(five, ENTITIES, classified('conceptual'))).toBe(five);
    expect(promoteAnchorHolders([], ENTITIES, classified('identifier', ['a']))).toEqual([]);
  });

  it('keeps a holder in the first three, also among equal scores, and explains every score', () => {
    const scores = fc.array(fc.constantFrom(0, 0.25, 0.5, 0.5000000001, 1), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(scores, fc.nat(11), fc.constantFrom('identifier', 'mixed'), (list, at, queryClass) => {
        const before = [...list].sort((a, b) => b - a).map((score, i) => candidate(String.fromCharCode(97 + i), score));
        const holder = before[at % before.length]!;
        const after = promoteAnchorHolders(
          before,
          ENTITIES,
          classified(queryClass, [holder.key.replace('document:', '')]),
        );
        // A page is sorted again by score, then by id.
        const page = [...after].sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
        const place = page.findIndex(({ key }) => key === holder.key);
        expect(place).toBeLessThan(3);
        if (queryClass === 'identifier') expect(place).toBe(0);
        expect(new Set(names(after))).toEqual(new Set(names(before)));
        expectExplained(after);
      }),
    );
  });

  it('promotes a tool itself only when tools are results', () => {
    const server = entityId('mcp_server', '/s');
    const tool = foundUnit({ path: '/s', key: 'tool:d40' });
    const held = {
      anchor: { kind: 'code' as const, text: 'D40', terms: ['d40'] },
      units: [tool],
      count: 1,
      byIdentifier: false,
    };
    const query: QueryClassification = { class: 'identifier', anchors: [held], needsNoVector: true };
    const byTool = candidateOf([scoredUnit(tool)], { isPart: true, score: 0.1 });
    const byServer = candidateOf([scoredUnit(tool)], { score: 0.1 });
    expect(promoteAnchorHolders([...five, byTool], { toolsAsResults: true }, query)[0]?.key).toBe(tool.unit);
    expect(promoteAnchorHolders([...five, byServer], ENTITIES, query)[0]?.key).toBe(server);
  });
});

describe('promoteNamed', () => {
  const promote = (candidates: readonly Candidate[], plan: { text: string; toolsAsResults: boolean }) =>
    promoteNamed(candidates, exactlyNamed(candidates, plan), plan.text);
  const request = (text: string, toolsAsResults = false) => ({ text, toolsAsResults });
  const named = [candidate('a', 1, 'Weather maps'), candidate('b', 0.6, 'Old news'), candidate('c', 0.2, 'Weather')];

  it('puts a candidate with the name first and keeps the order of the rest', () => {
    const found = promote(named, request('weather'));
    expect(names(found)).toEqual(['c', 'a', 'b']);
    expectExplained(found);
  });

  it('changes nothing when no candidate has the name, or the query is not a name', () => {
    expect(promote(named, request('tide tables'))).toBe(named);
    expect(promote(named, request(''))).toBe(named);
    expect(promote(named, request('weather of the coming week in the northern hills'))).toBe(named);
  });

  it('compares the name of the result, not of one of its tools', () => {
    const tool = foundUnit({ path: '/s', key: 'tool:Weather', keyword: 1 });
    const both = [candidate('a', 1), candidateOf([scoredUnit(tool)], { score: 0.1 })];
    const keys = (found: readonly Candidate[]) => found.map(({ key }) => key);
    expect(keys(promote(both, request('weather')))).toEqual(['document:a', 'mcp_server:/s']);
    expect(keys(promote(both, request('weather', true)))).toEqual(['mcp_server:/s', 'document:a']);
  });

  it('checks every unit with a keyword score, not only the best unit', () => {
    const tool = scoredUnit(foundUnit({ path: '/s', key: 'tool:forecast', keyword: 0.2, vector: 0.9 }));
    const card = (keyword: number | null) => scoredUnit(foundUnit({ path: '/s', title: 'Weather', keyword }));
    const first = (keyword: number | null) => {
      const both = [candidate('a', 1), candidateOf([tool, card(keyword)], { score: 0.1 })];
      return promote(both, request('weather'))[0]!.key;
    };
    expect(first(1)).toBe('mcp_server:/s');
    expect(first(null)).toBe('document:a');
    // It needs 60 % of the best keyword score.
    expect(first(0.59)).toBe('document:a');
    expect(first(0.61)).toBe('mcp_server:/s');
  });
});

describe('multiplyAnchorHolders', () => {
  it('multiplies by 1.5 for each anchor that a result holds', () => {
    const found = multiplyAnchorHolders(five, ENTITIES, classified('mixed', ['b', 'd'], ['d']));
    expect(found.map(({ score }) => Number(score.toFixed(4)))).toEqual([1.2, 1, 0.9, 0.6, 0.2]);
    expect(names(found)).toEqual(['b', 'a', 'd', 'c', 'e']);
    expectExplained(found);
  });
});
