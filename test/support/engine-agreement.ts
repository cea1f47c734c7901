import { expect } from 'vitest';
import type { Engine } from '../../src/engines/engine.ts';
import type { Filter } from '../../src/model/filter.ts';
import { anchorsIn } from '../../src/search/identifier/anchors.ts';
import { compareHits, type RankedList } from '../../src/search/ranking/ranked-list.ts';
import { toyVector } from './engine-fixtures.ts';

/** Scores are sums of 32-bit numbers in one engine and of 64-bit ones in the other. */
const TOLERANCE = 1e-6;

/** The same units with the same scores, each list in its own proper order. */
export function expectSameList(actual: RankedList, expected: RankedList): void {
  expect([...actual].sort(compareHits)).toEqual(actual);
  const byUnit = (list: RankedList) => [...list].sort((a, b) => (a.unit < b.unit ? -1 : 1));
  const withoutScores = (list: RankedList) => byUnit(list).map(({ score: _, ...hit }) => hit);
  expect(withoutScores(actual)).toEqual(withoutScores(expected));
  const scores = byUnit(expected).map(({ score }) => score);
  const worst = Math.max(0, ...byUnit(actual).map(({ score }, i) => Math.abs(score - scores[i]!)));
  expect(worst).toBeLessThan(TOLERANCE);
}

/** Both engines give the same answers in every leg, in full and cut to a few. */
export async function expectAgreement(
  actual: Engine,
  expected: Engine,
  queries: readonly string[],
  filters: readonly Filter[],
): Promise<void> {
  for (const text of queries) {
    for (const filter of filters) {
      for (const scorer of ['bm25f', 'boost', 'constant', 'coverage'] as const) {
        const query = { text, scorer, filter, limit: 10_000 };
        const all = await actual.searchKeyword(query);
        expectSameList(all, await expected.searchKeyword(query));
        expect(await actual.searchKeyword({ ...query, limit: 7 })).toEqual(all.slice(0, 7));
      }
      const anchors = anchorsIn(`${text} "${text}"`);
      const tags = text.split(/\s+/u);
      expect(await actual.hasTags(tags)).toEqual(await expected.hasTags(tags));
      const inspect = { text, anchors, filter, limit: 3 };
      const { ceiling, ...inspection } = await actual.inspect(inspect);
      const { ceiling: expectedCeiling, ...expectedInspection } = await expected.inspect(inspect);
      expect(inspection).toEqual(expectedInspection);
      expect(ceiling).toBeCloseTo(expectedCeiling, 9);
      const units = await actual.searchKeyword({ text, scorer: 'constant', filter, limit: 50 });
      const asked = (await actual.searchKeyword({ text, scorer: 'constant', filter, limit: 50 })).flatMap((hit) => [
        { hit, card: false },
        { hit: { ...hit }, card: true },
      ]);
      for (const scorer of ['bm25f', 'boost', 'coverage'] as const) {
        const scores = await actual.keywordScores(text, scorer, asked);
        const expectedScores = await expected.keywordScores(text, scorer, asked);
        scores.forEach((score, i) => {
          expect(score).toBeCloseTo(expectedScores[i]!, 9);
        });
      }
      const cosines = await actual.vectorScores(toyVector(text), asked);
      const expectedCosines = await expected.vectorScores(toyVector(text), asked);
      cosines.forEach((cosine, i) => {
        expect(cosine === null).toBe(expectedCosines[i] === null);
        if (cosine !== null) expect(cosine).toBeCloseTo(expectedCosines[i]!, 5);
      });
      expect(await actual.matchedFields(text, units)).toEqual(await expected.matchedFields(text, units));
      const query = { vector: toyVector(text), filter, limit: 10_000 };
      const all = await actual.searchVector(query);
      expectSameList(all, await expected.searchVector(query));
      expect(await actual.searchVector({ ...query, limit: 7 })).toEqual(all.slice(0, 7));
    }
  }
  const { bytes: _, meanVector, ...stats } = await actual.stats();
  const { bytes: __, meanVector: expectedMean, ...expectedStats } = await expected.stats();
  expect(stats).toEqual(expectedStats);
  expect(meanVector === null).toBe(expectedMean === null);
  meanVector?.forEach((x, i) => {
    expect(x).toBeCloseTo(expectedMean![i]!, 5);
  });
  expect((await actual.scan({ limit: 10_000 })).entities).toEqual((await expected.scan({ limit: 10_000 })).entities);
  const unitsOf = async (engine: Engine) => (await engine.missingVectors(10_000)).map(({ unit }) => unit).sort();
  expect(await unitsOf(actual)).toEqual(await unitsOf(expected));
}
