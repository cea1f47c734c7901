import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityId, type EntityType, entityId } from '../../src/model/entity.ts';
import { addUpError, leaf, sum } from '../../src/model/explanation.ts';
import { searchRequestSchema } from '../../src/model/query.ts';
import { type UnitId, unitId } from '../../src/model/unit.ts';
import { planSearch, type SearchPlan } from '../../src/search/plan.ts';
import { PRESETS } from '../../src/search/presets.ts';
import { type Asked, asksOf, enterScores, joinLegs, toPairs } from '../../src/search/ranking/join.ts';
import { rank as rankRetrieved } from '../../src/search/ranking/rank.ts';
import { compareHits, type RankedList, type UnitHit } from '../../src/search/ranking/ranked-list.ts';

/** Units that only one leg found are looked up in the other, where they have half the other's score. */
function rank(plan: SearchPlan, { keyword, vector }: { keyword: RankedList; vector: RankedList | null }) {
  // Every third list names an identifier that two of its units hold.
  const anchor = { kind: 'code' as const, text: 'D40', terms: ['d40'] };
  const anchors = keyword.length % 3 === 1 ? [{ anchor, units: keyword.slice(-2), count: 2 }] : [];
  const anchorClass = keyword.length % 2 === 0 ? 'identifier' : 'mixed';
  const drafts = joinLegs(plan, keyword, vector, []);
  const halves = (asked: readonly Asked[]) => asked.map(({ hit }, i) => (i === 1 ? null : hit.score / 2));
  const byKeyword = asksOf(plan, drafts, 'keyword');
  enterScores('keyword', byKeyword, halves(byKeyword.asked), new Map());
  if (vector !== null) {
    const byVector = asksOf(plan, drafts, 'vector');
    enterScores('vector', byVector, halves(byVector.asked), new Map());
  }
  return rankRetrieved(plan, {
    pairs: toPairs(plan, drafts),
    keyword,
    vector,
    vectorCoverage: 0.9,
    reading: { class: anchors.length === 0 ? 'conceptual' : anchorClass, anchors, needsNoVector: false },
    evidence: {
      ceiling: 40,
      known: 1,
      terms: 3,
      cosines: vector === null ? null : { best: 0.7, near: 0.5, background: 0.2, separation: 3, floor: 0 },
    },
    dead: new Set(keyword.slice(1, 2).map(({ entity }) => entity)),
  }).page;
}

const types: readonly EntityType[] = ['mcp_server', 'skill', 'tool'];

const hit = fc
  .record({
    type: fc.constantFrom(...types),
    at: fc.nat(12),
    unit: fc.constantFrom('card', 'tool:a', 'tool:b'),
    // Also scores that differ by rounding only: they must not be blown up into differences.
    score: fc.oneof(fc.double({ min: 0.001, max: 40, noNaN: true }), fc.constantFrom(1, 1 + Number.EPSILON, 1 + 1e-6)),
    share: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
  })
  .map(({ type, at, unit, score, share }): UnitHit => {
    const entity: EntityId = entityId(type, `/${at}`);
    const id: UnitId = unitId(entity, unit);
    const detail = sum('bm25f', [leaf('first', score * share), leaf('second', score * (1 - share))]);
    const kind = unit === 'card' ? 'card' : 'tool';
    return { unit: id, entity, type, kind, title: unit, score: detail.value, detail };
  });

/** A leg's list: each unit once, best first. */
const list = fc
  .uniqueArray(hit, { selector: ({ unit }) => unit, maxLength: 40 })
  .map((hits): RankedList => hits.sort(compareHits));

const request = fc
  .record(
    {
      preset: fc.constantFrom(...Object.keys(PRESETS)),
      max_results: fc.integer({ min: 1, max: 50 }),
      rrf_k: fc.integer({ min: 1, max: 100 }),
      soft_cap: fc.double({ min: 0, max: 1, noNaN: true }),
      floor: fc.double({ min: 0, max: 1, noNaN: true }),
      offset: fc.integer({ min: 0, max: 30 }),
      min_confidence: fc.double({ min: 0, max: 1, noNaN: true }),
      weights: fc.record({ keyword: fc.constantFrom(0, 0.3, 1, 2), vector: fc.constantFrom(0.5, 1) }),
      entity_types: fc.constantFrom(null, ['tool'], ['tool', 'mcp_server']),
    },
    { requiredKeys: ['preset'] },
  )
  .map((input) => searchRequestSchema.parse({ query: 'find a tool', explain: true, ...input }));

describe('ranking', () => {
  it('explains every score with parts that add up', () => {
    fc.assert(
      fc.property(request, list, fc.option(list), (search, keyword, vector) => {
        for (const { score, explain } of rank(planSearch(search), { keyword, vector })) {
          const explanation = explain?.();
          expect(explanation).toBeDefined();
          expect(Math.abs(explanation!.value - score)).toBeLessThan(1e-9);
          expect(addUpError(explanation!)).toBeLessThan(1e-9);
        }
      }),
    );
  });

  it('keeps scores within 0 and 1, results unique, and the page within its limit and floor', () => {
    fc.assert(
      fc.property(request, list, fc.option(list), (search, keyword, vector) => {
        const plan = planSearch(search);
        const page = rank(plan, { keyword, vector });
        expect(page.length).toBeLessThanOrEqual(search.max_results);
        expect(new Set(page.map(({ key }) => key)).size).toBe(page.length);
        for (const { score } of page) expect(score >= plan.preset.floor && score <= 1).toBe(true);
      }),
    );
  });

  it('gives the same page with and without explanations', () => {
    fc.assert(
      fc.property(request, list, fc.option(list), (search, keyword, vector) => {
        const bare = rank(planSearch({ ...search, explain: false }), { keyword, vector });
        const explained = rank(planSearch(search), { keyword, vector });
        expect(bare.map(({ key, score }) => [key, score])).toEqual(explained.map(({ key, score }) => [key, score]));
        expect(bare.every(({ explain }) => explain === undefined)).toBe(true);
      }),
    );
  });

  it('shows everything that matches once, page after page', () => {
    fc.assert(
      fc.property(request, list, fc.option(list), fc.integer({ min: 1, max: 7 }), (search, keyword, vector, size) => {
        const ask = (offset: number, max_results: number) =>
          rank(planSearch({ ...search, floor: 0, offset, max_results }), { keyword, vector }).map(({ key }) => key);
        const pages = Array.from({ length: 12 }, (_, page) => ask(page * size, size)).flat();
        expect(new Set(pages).size).toBe(pages.length);
        if (search.preset !== 'registry-legacy') expect(pages.length).toBe(Math.min(12 * size, ask(0, 50).length));
      }),
    );
  });

  it('returns hybrid results best first, whatever the soft caps moved', () => {
    fc.assert(
      fc.property(list, list, (keyword, vector) => {
        const page = rank(planSearch(searchRequestSchema.parse({ query: 'x y z' })), { keyword, vector });
        for (let i = 1; i < page.length; i++) expect(page[i]!.score).toBeLessThanOrEqual(page[i - 1]!.score);
      }),
    );
  });
});
