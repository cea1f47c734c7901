import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateOf, scoredUnit } from '../../../../test/support/candidates.ts';
import { foundUnit } from '../../../../test/support/rank-lists.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { calibratedCosine, confidenceFor, cosineFloor, type QueryEvidence } from './confidence.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const rank = fc.option(fc.integer({ min: 1, max: 75 }));
const result = fc.record({ keyword: fc.option(share), vector: fc.option(cosine), keywordRank: rank, vectorRank: rank });
type Result = typeof result extends fc.Arbitrary<infer R> ? R : never;

/** Keyword scores are shares of 1 here. The best of each leg is among the results. */
function confidencesOf(
  results: readonly (Result & { readonly depth?: number })[],
  query: Partial<QueryEvidence> & { readonly vectors: boolean },
) {
  const candidates = results.map(({ keyword, vector, depth = 0, ...ranks }, i): Candidate => {
    const found = foundUnit({ path: `/${i}`, keyword, vector });
    const score = (keyword ?? 0) / 2 + (vector ?? 0) / 2;
    return candidateOf([scoredUnit(found, { ...ranks, score })], { score, depth });
  });
  const { vectors, ...given } = query;
  const evidence: QueryEvidence = {
    ceiling: 1,
    bestKeyword: Math.max(0, ...results.map(({ keyword }) => keyword ?? 0)),
    terms: 3,
    adjacent: 0,
    units: 100,
    cosines: vectors ? { best: Math.max(0, ...results.map(({ vector }) => vector ?? 0)), floor: 0 } : null,
    ...given,
  };
  const { answerable, of } = confidenceFor(evidence, candidates, (keyword) => keyword);
  return { answerable, all: candidates.map(of) };
}

const FIRST = { keyword: 0.6, vector: 0.7, keywordRank: 1, vectorRank: 1 };
const OTHER = { keyword: 0.1, vector: 0.3, keywordRank: 9, vectorRank: 12 };
const NOISE = { keyword: null, vector: 0.2, keywordRank: null, vectorRank: 1 };

describe('confidence', () => {
  it('is between 0 and 1, and never above that of the query', () => {
    fc.assert(
      fc.property(fc.array(result), fc.boolean(), fc.nat(200), fc.nat(1e6), (results, vectors, terms, units) => {
        const { answerable, all } = confidencesOf(results, { vectors, terms, units });
        expect(answerable >= 0 && answerable <= 1).toBe(true);
        for (const sure of all) expect(sure >= 0 && sure <= answerable).toBe(true);
      }),
    );
  });

  it('never falls when a score or a rank of a result rises, and nothing else changes', () => {
    const better = (one: Result, step: number): readonly Result[] => [
      { ...one, keyword: Math.min(0.6, (one.keyword ?? 0) + step) },
      { ...one, vector: Math.min(0.7, (one.vector ?? -1) + step) },
      { ...one, keywordRank: Math.max(1, (one.keywordRank ?? 76) - 1) },
      { ...one, vectorRank: Math.max(1, (one.vectorRank ?? 76) - 1) },
    ];
    const low = result.map((one) => ({
      ...one,
      keyword: Math.min(0.5, one.keyword ?? 0),
      vector: Math.min(0.6, one.vector ?? 0),
    }));
    fc.assert(
      fc.property(low, share, fc.boolean(), (one, step, vectors) => {
        const [, before] = confidencesOf([FIRST, one], { vectors }).all;
        for (const raised of better(one, step / 10)) {
          expect(confidencesOf([FIRST, raised], { vectors }).all[1]).toBeGreaterThanOrEqual(before! - 1e-12);
        }
      }),
    );
  });

  it('is high for a clear first result and low for the noise behind it', () => {
    for (const vectors of [true, false]) {
      const [first, other] = confidencesOf([FIRST, OTHER], { vectors }).all;
      expect(first).toBeGreaterThan(0.8);
      expect(other).toBeLessThan(0.1);
    }
  });

  it('is high for what both legs have first, also with a similar second', () => {
    const second = { keyword: 0.57, vector: 0.68, keywordRank: 2, vectorRank: 2 };
    const [first, next] = confidencesOf([FIRST, second], { vectors: true }).all;
    expect(first).toBeGreaterThan(0.75);
    expect(next).toBeLessThan(first!);
  });

  it('is lower if several results are as good', () => {
    const alone = confidencesOf([FIRST, OTHER], { vectors: true }).all[0]!;
    const shared = confidencesOf([FIRST, FIRST], { vectors: true }).all;
    for (const sure of shared) expect(sure).toBeLessThan(alone - 0.1);
  });

  it('is low for a query that nothing in the catalog is near to', () => {
    expect(confidencesOf([NOISE], { vectors: true }).all[0]).toBeLessThan(0.1);
  });

  it('is higher without vectors if the best unit has the words in their order', () => {
    const sure = (vectors: boolean) =>
      [0, 0.5, 1].map((adjacent) => confidencesOf([FIRST, OTHER], { vectors, adjacent, units: 10_000 }).all[0]!);
    const [apart, one, two] = sure(false);
    expect([one! > apart! + 0.05, two! > one! + 0.05]).toEqual([true, true]);
    expect(new Set(sure(true)).size).toBe(1);
  });

  it('needs less similarity for a long text, which says much besides what it needs', () => {
    const sure = (isLong: boolean) => confidencesOf([OTHER], { vectors: true, isLong }).answerable;
    expect(sure(true)).toBeGreaterThan(2 * sure(false));
  });

  it('does not depend on the ranks of what only a deeper search finds', () => {
    const deeper = [
      { ...OTHER, depth: 1 },
      { ...OTHER, depth: 1, keywordRank: null },
    ];
    const [, asked, unasked] = confidencesOf([FIRST, ...deeper], { vectors: true }).all;
    expect(asked).toBe(unasked);
  });

  it('needs a better match in a larger catalog', () => {
    const sure = [10, 1000, 100_000].map((units) => confidencesOf([OTHER], { vectors: true, units }).answerable);
    expect(sure[0]! > sure[1]! && sure[1]! > sure[2]!).toBe(true);
  });
});

/** So many texts that the prior does not matter. */
const MANY = 1e9;

describe('cosineFloor', () => {
  const along = (length: number) => Float32Array.of(length, 0);

  it('is 0 with too few texts', () => {
    expect([0, 1, 2, 5].map((count) => cosineFloor(along(1), count))).toEqual([0, 0, 0, 0]);
    // Ten unrelated texts.
    expect(cosineFloor(along(Math.sqrt(0.1)), 10)).toBe(0);
    expect(cosineFloor(along(0.95), 200)).toBeGreaterThan(0.4);
  });

  it('is 0 for models with different vectors for different texts', () => {
    expect([null, along(0), along(0.3), along(0.59)].map((mean) => cosineFloor(mean, MANY))).toEqual([0, 0, 0, 0]);
    expect(calibratedCosine(-0.3, 0)).toBe(-0.3);
  });

  it('is above 0 for a model with similar vectors for all texts', () => {
    const floor = cosineFloor(along(0.9), MANY);
    expect(floor).toBeCloseTo(0.46, 5);
    expect(calibratedCosine(floor, floor)).toBe(0);
    expect(calibratedCosine(1, floor)).toBe(1);
    expect(cosineFloor(along(2), MANY)).toBe(0.95);
  });

  it('never changes the order of cosines', () => {
    fc.assert(
      fc.property(cosine, cosine, fc.double({ min: 0, max: 0.95, noNaN: true }), (a, b, floor) => {
        if (a <= b) expect(calibratedCosine(a, floor)).toBeLessThanOrEqual(calibratedCosine(b, floor));
      }),
    );
  });
});
