import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateOf, scoredUnit } from '../../../test/support/candidates.ts';
import { foundUnit } from '../../../test/support/rank-lists.ts';
import { entityId } from '../../model/entity.ts';
import { addUpError, leaf, sum } from '../../model/explanation.ts';
import type { Candidate } from '../ranking/candidate.ts';
import type { QueryReading } from './read-query.ts';
import { multiplied, promoteExactNames, tiered } from './tier.ts';

const ENTITIES = { toolsAsResults: false };

const cardOf = (path: string, title = path) => foundUnit({ path, type: 'document', title, keyword: 1 });

function candidate(name: string, score: number, title = name): Candidate {
  const explain = () => sum('fusion', [leaf('keyword', score / 4), leaf('vector', score - score / 4)]);
  return candidateOf([scoredUnit(cardOf(name, title))], { score, explain });
}

/** One anchor for each list of holders. */
function reading(queryClass: QueryReading['class'], ...holders: readonly (readonly string[])[]): QueryReading {
  const anchors = holders.map((names, i) => ({
    anchor: { kind: 'code' as const, text: `D4${i}`, terms: [`d4${i}`] },
    units: names.map((name) => cardOf(name)),
    count: names.length,
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

describe('the identifier tier', () => {
  it('puts the holders first when nothing else was asked, those of more anchors before those of fewer', () => {
    expect(names(tiered(five, ENTITIES, reading('identifier', ['e'])))).toEqual(['e', 'a', 'b', 'c', 'd']);
    expect(names(tiered(five, ENTITIES, reading('identifier', ['e', 'd'], ['e'])))).toEqual(['e', 'd', 'a', 'b', 'c']);
    expect(names(tiered(five, ENTITIES, reading('identifier', ['e'], ['d'])))).toEqual(['d', 'e', 'a', 'b', 'c']);
  });

  it('keeps the order of holders among themselves', () => {
    expect(names(tiered(five, ENTITIES, reading('identifier', ['e', 'd'])))).toEqual(['d', 'e', 'a', 'b', 'c']);
  });

  it('brings the best holder to the third place when more was asked, and leaves the first two', () => {
    expect(names(tiered(five, ENTITIES, reading('mixed', ['e', 'd'])))).toEqual(['a', 'b', 'd', 'c', 'e']);
  });

  it('moves nothing when a holder is among the first three, or none is a candidate', () => {
    expect(tiered(five, ENTITIES, reading('mixed', ['c', 'e']))).toBe(five);
    expect(tiered(five, ENTITIES, reading('identifier', ['z']))).toBe(five);
    expect(tiered(five, ENTITIES, reading('conceptual'))).toBe(five);
    expect(tiered([], ENTITIES, reading('identifier', ['a']))).toEqual([]);
  });

  it('never buries a holder, also among equal scores, and explains every score it gives', () => {
    const scores = fc.array(fc.constantFrom(0, 0.25, 0.5, 0.5000000001, 1), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(scores, fc.nat(11), fc.constantFrom('identifier', 'mixed'), (list, at, queryClass) => {
        const before = [...list].sort((a, b) => b - a).map((score, i) => candidate(String.fromCharCode(97 + i), score));
        const holder = before[at % before.length]!;
        const after = tiered(before, ENTITIES, reading(queryClass, [holder.key.replace('document:', '')]));
        // A page is put in the order of scores once more, and of ids where they are equal.
        const page = [...after].sort((a, b) => b.score - a.score || (a.key < b.key ? -1 : 1));
        const place = page.findIndex(({ key }) => key === holder.key);
        expect(place).toBeLessThan(3);
        if (queryClass === 'identifier') expect(place).toBe(0);
        expect(new Set(names(after))).toEqual(new Set(names(before)));
        expectExplained(after);
      }),
    );
  });

  it('counts a tool for itself only where tools are results', () => {
    const server = entityId('mcp_server', '/s');
    const tool = foundUnit({ path: '/s', key: 'tool:d40' });
    const held = { anchor: { kind: 'code' as const, text: 'D40', terms: ['d40'] }, units: [tool], count: 1 };
    const asked: QueryReading = { class: 'identifier', anchors: [held], needsNoVector: true };
    const byTool = candidateOf([scoredUnit(tool)], { key: tool.unit, score: 0.1 });
    const byServer = candidateOf([scoredUnit(tool)], { score: 0.1 });
    expect(tiered([...five, byTool], { toolsAsResults: true }, asked)[0]?.key).toBe(tool.unit);
    expect(tiered([...five, byServer], ENTITIES, asked)[0]?.key).toBe(server);
  });
});

describe('namesakes', () => {
  const asking = (text: string, toolsAsResults = false) => ({ text, toolsAsResults });
  const named = [candidate('a', 1, 'Weather maps'), candidate('b', 0.6, 'Old news'), candidate('c', 0.2, 'Weather')];

  it('come first, with the rest in its order', () => {
    const found = promoteExactNames(named, asking('weather'));
    expect(names(found)).toEqual(['c', 'a', 'b']);
    expectExplained(found);
  });

  it('change nothing where nothing is called so, or the query is no name', () => {
    expect(promoteExactNames(named, asking('tide tables'))).toBe(named);
    expect(promoteExactNames(named, asking(''))).toBe(named);
    expect(promoteExactNames(named, asking('weather of the coming week in the northern hills'))).toBe(named);
  });

  it('are whole results, not a part of one that has another name', () => {
    const tool = foundUnit({ path: '/s', key: 'tool:Weather', keyword: 1 });
    const both = [candidate('a', 1), candidateOf([scoredUnit(tool)], { score: 0.1 })];
    const keys = (found: readonly Candidate[]) => found.map(({ key }) => key);
    expect(keys(promoteExactNames(both, asking('weather')))).toEqual(['document:a', 'mcp_server:/s']);
    expect(keys(promoteExactNames(both, asking('weather', true)))).toEqual(['mcp_server:/s', 'document:a']);
  });

  it('are told by any unit that keywords found, also where another scored best', () => {
    const tool = scoredUnit(foundUnit({ path: '/s', key: 'tool:forecast', keyword: 0.2, vector: 0.9 }));
    const card = (keyword: number | null) => scoredUnit(foundUnit({ path: '/s', title: 'Weather', keyword }));
    const first = (keyword: number | null) => {
      const both = [candidate('a', 1), candidateOf([tool, card(keyword)], { score: 0.1 })];
      return promoteExactNames(both, asking('weather'))[0]!.key;
    };
    expect(first(1)).toBe('mcp_server:/s');
    expect(first(null)).toBe('document:a');
    // Keywords must have found it nearly as good as their best.
    expect(first(0.59)).toBe('document:a');
    expect(first(0.61)).toBe('mcp_server:/s');
  });
});

describe("ADR-003's factor", () => {
  it('is 1.5 for each anchor that a result holds', () => {
    const found = multiplied(five, ENTITIES, reading('mixed', ['b', 'd'], ['d']));
    expect(found.map(({ score }) => Number(score.toFixed(4)))).toEqual([1.2, 1, 0.9, 0.6, 0.2]);
    expect(names(found)).toEqual(['b', 'a', 'd', 'c', 'e']);
    expectExplained(found);
  });
});
