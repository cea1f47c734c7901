import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Explanation, leaf, sum } from '../../src/model/answer/explanation.ts';
import type { EntityType } from '../../src/model/entity.ts';
import { searchRequestSchema } from '../../src/model/query/query.ts';
import { planSearch, retrieveQuery, type SearchPlan, withoutVectorLeg } from '../../src/search/plan/plan.ts';
import { PRESETS } from '../../src/search/plan/presets.ts';
import { rank as rankRetrieved } from '../../src/search/ranking/rank.ts';
import { compareIds } from '../../src/search/retrieval/compare-ids.ts';
import {
  type FoundUnit,
  isOwnResult,
  type Retrieved,
  type RetrieveQuery,
} from '../../src/search/retrieval/retrieval.ts';
import { addUpError } from '../support/add-up-error.ts';
import { foundUnit, retrievedOf } from '../support/rank-lists.ts';

/** An indexed unit with its scores, and whether it is in the list of each leg. */
interface PoolUnit {
  readonly found: FoundUnit;
  readonly inKeyword: boolean;
  readonly inVector: boolean;
}

/** Retrieves from the pool and ranks. Without vectors, there is no vector leg. */
function rank(given: SearchPlan, pool: readonly PoolUnit[], hasVectors: boolean) {
  const plan = hasVectors ? given : withoutVectorLeg(given);
  const retrieved = retrieve(retrieveQuery(plan, hasVectors ? { values: new Float32Array(4), parts: [] } : null), pool);
  const { keyword, vector } = retrieved;
  // In every third case the query has an identifier that two units hold.
  const anchor = { kind: 'code' as const, text: 'D40', terms: ['d40'] };
  const anchors = keyword.length % 3 === 1 ? [{ anchor, units: keyword.slice(-2), count: 2, byIdentifier: false }] : [];
  const anchorClass = keyword.length % 2 === 0 ? 'identifier' : 'mixed';
  return rankRetrieved(plan, {
    retrieved,
    classification: { class: anchors.length === 0 ? 'conceptual' : anchorClass, anchors, needsNoVector: false },
    evidence: {
      ceiling: 40,
      bestKeyword: keyword[0]?.keyword ?? 0,
      terms: 3,
      adjacent: keyword.length % 2,
      units: 100,
      cosines: vector === null ? null : { best: 0.7, floor: 0 },
    },
    dead: new Set(keyword.slice(1, 2).map(({ entity }) => entity)),
  }).page;
}

/** A simple index: lists best first, with cross scores and cards if the query asks for them. */
function retrieve(query: RetrieveQuery, pool: readonly PoolUnit[]): Retrieved {
  const isListed = ({ inKeyword, inVector }: PoolUnit) => inKeyword || (query.vector !== null && inVector);
  const withCards = new Set(
    pool.filter((one) => isListed(one) && !isOwnResult(query, one.found)).map(({ found }) => found.entity),
  );
  const kept = pool.filter(
    (one) => isListed(one) || (query.cards && one.found.kind === 'card' && withCards.has(one.found.entity)),
  );
  const shown = kept.map(({ found, inKeyword, inVector }) => ({
    inKeyword,
    inVector,
    found: {
      ...found,
      keyword: inKeyword || query.crossScores ? found.keyword : null,
      vector: query.vector !== null && (inVector || query.crossScores) ? found.vector : null,
    },
  }));
  const list = (leg: 'keyword' | 'vector', isIn: (one: PoolUnit) => boolean) =>
    shown
      .filter(isIn)
      .map(({ found }) => found)
      .sort((a, b) => b[leg]! - a[leg]! || compareIds(a.unit, b.unit));
  const keyword = list('keyword', ({ inKeyword }) => inKeyword);
  const vector = query.vector === null ? null : list('vector', ({ inVector }) => inVector);
  return retrievedOf({ keyword, vector, others: shown.map(({ found }) => found) }, { vectors: 90, missingVectors: 10 });
}

const types: readonly EntityType[] = ['mcp_server', 'skill', 'tool'];
// Scores that differ only by rounding: the ranking must not enlarge the difference.
const nearly = fc.constantFrom(1, 1 + Number.EPSILON, 1 + 1e-6);

const poolUnit = fc
  .record({
    type: fc.constantFrom(...types),
    at: fc.nat(12),
    unit: fc.constantFrom('card', 'tool:a', 'tool:b'),
    keyword: fc.option(fc.oneof(fc.double({ min: 0.001, max: 40, noNaN: true }), nearly)),
    vector: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
    share: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
    inKeyword: fc.boolean(),
    inVector: fc.boolean(),
  })
  .map(({ type, at, unit, keyword: score, vector, share, inKeyword, inVector }): PoolUnit => {
    const why =
      score === null ? undefined : sum('bm25f', [leaf('one', score * share), leaf('two', score * (1 - share))]);
    const keyword = why?.value ?? null;
    const found = { ...foundUnit({ path: `/${at}`, type, key: unit, keyword, vector }), explainKeyword: () => why };
    return { found, inKeyword: inKeyword && keyword !== null, inVector: inVector && vector !== null };
  });
const pool = fc.uniqueArray(poolUnit, { selector: ({ found }) => found.unit, maxLength: 60 });

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

/** Every node of a tree with this label. */
function nodes(label: string, node: Explanation): readonly Explanation[] {
  return [...(node.label === label ? [node] : []), ...(node.parts ?? []).flatMap((part) => nodes(label, part))];
}

describe('ranking', () => {
  it('explains every score with parts that add up', () => {
    fc.assert(
      fc.property(request, pool, fc.boolean(), (search, units, hasVectors) => {
        for (const { score, explain } of rank(planSearch(search), units, hasVectors)) {
          const explanation = explain?.();
          expect(explanation).toBeDefined();
          expect(Math.abs(explanation!.value - score)).toBeLessThan(1e-9);
          expect(addUpError(explanation!)).toBeLessThan(1e-9);
          for (const { value } of nodes('rounding', explanation!))
            expect(Math.abs(value)).toBeLessThanOrEqual(5e-5 + 1e-12);
        }
      }),
    );
  });

  it('keeps scores between 0 and 1, results distinct, and the page within its limit and floor', () => {
    fc.assert(
      fc.property(request, pool, fc.boolean(), (search, units, hasVectors) => {
        const asked = planSearch(search);
        const { preset } = hasVectors ? asked : withoutVectorLeg(asked);
        const page = rank(asked, units, hasVectors);
        expect(page.length).toBeLessThanOrEqual(search.max_results);
        expect(new Set(page.map(({ key }) => key)).size).toBe(page.length);
        for (const { score } of page) expect(score >= preset.floor && score <= 1).toBe(true);
      }),
    );
  });

  it('gives the same page with and without explanations', () => {
    fc.assert(
      fc.property(request, pool, fc.boolean(), (search, units, hasVectors) => {
        const bare = rank(planSearch({ ...search, explain: false }), units, hasVectors);
        const explained = rank(planSearch(search), units, hasVectors);
        expect(bare.map(({ key, score }) => [key, score])).toEqual(explained.map(({ key, score }) => [key, score]));
        expect(bare.every(({ explain }) => explain === undefined)).toBe(true);
      }),
    );
  });

  it('shows every match exactly once over all pages', () => {
    fc.assert(
      fc.property(request, pool, fc.boolean(), fc.integer({ min: 1, max: 7 }), (search, units, hasVectors, size) => {
        const ask = (offset: number, max_results: number) =>
          rank(planSearch({ ...search, floor: 0, offset, max_results }), units, hasVectors).map(({ key }) => key);
        const pages = Array.from({ length: 12 }, (_, page) => ask(page * size, size)).flat();
        expect(new Set(pages).size).toBe(pages.length);
        if (search.preset !== 'registry-legacy') expect(pages.length).toBe(Math.min(12 * size, ask(0, 50).length));
      }),
    );
  });

  it('returns hybrid results best first, also with soft caps', () => {
    fc.assert(
      fc.property(pool, (units) => {
        const page = rank(planSearch(searchRequestSchema.parse({ query: 'x y z' })), units, true);
        for (let i = 1; i < page.length; i++) expect(page[i]!.score).toBeLessThanOrEqual(page[i - 1]!.score);
      }),
    );
  });
});
