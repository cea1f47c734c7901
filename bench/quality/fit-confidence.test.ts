import { describe, expect, it } from 'vitest';
import { crossFitted, type FactsOfPair, fitConfidence, fittedAnswerable } from './fit-confidence.ts';

const SETS = ['a', 'b', 'c'];

/** Own queries have higher cosines than foreign ones, and right results a smaller gap than wrong ones. */
function pairsOf(change: (pair: FactsOfPair) => FactsOfPair = (pair) => pair): readonly FactsOfPair[] {
  const pairs: FactsOfPair[] = [];
  for (const corpus of SETS) {
    for (const queries of SETS) {
      for (let i = 0; i < 20; i++) {
        const cosine = 0.2 + i / 40 + (corpus === queries ? 0.25 : 0);
        const query = { cosine, explained: ((i * 7) % 5) / 5, length: 2, adjacent: 0, size: 5, long: 0 };
        const results = [0, 1, 2, 3].map((rank) => ({
          facts: { keywordGap: rank / 4, keywordRank: 1 / (4 + rank), vectorGap: rank / 5, vectorRank: 0, lead: 0 },
          isRight: corpus === queries && rank === i % 3,
        }));
        pairs.push(change({ corpus, queries, query, results }));
      }
    }
  }
  return pairs;
}

describe('fitConfidence', () => {
  it('raises the estimates with what own queries and right results have more of', () => {
    const { answerable, result } = fitConfidence(pairsOf(), 'hybrid');
    expect(answerable[1]).toBeGreaterThan(1);
    expect(result[3]).toBeLessThan(0);
  });
});

describe('fittedAnswerable', () => {
  it('counts samples as much as whole catalogs, however few their pairs are', () => {
    const keyword = (adjacent: number) =>
      pairsOf((pair) => ({
        ...pair,
        query: { ...pair.query, adjacent: pair.corpus === pair.queries ? adjacent : 0.5 },
      }));
    const weight = (samples: readonly (readonly FactsOfPair[])[]) =>
      Number(/adjacent (\S+)$/.exec(fittedAnswerable(keyword(0.6), samples, 'keyword'))![1]);
    const few = keyword(0.4).filter((_, i) => i % 5 === 0);
    expect(weight([keyword(0.6)])).toBeGreaterThan(1);
    expect(Math.abs(weight([few]))).toBeLessThan(0.1);
    expect(weight([few, keyword(0.6)])).toBeGreaterThan(1);
  });
});

describe('crossFitted', () => {
  it('estimates a catalog without its own labels and queries', () => {
    const changed = (pair: FactsOfPair): FactsOfPair => {
      const isLeft = pair.corpus === 'a' || pair.queries === 'a';
      if (!isLeft) return pair;
      if (pair.corpus !== pair.queries) return { ...pair, query: { ...pair.query, cosine: 0.9 } };
      return { ...pair, results: pair.results.map((one) => ({ ...one, isRight: !one.isRight })) };
    };
    const estimates = (pairs: readonly FactsOfPair[], name: string) =>
      crossFitted(pairs, 'hybrid')
        .filter(({ corpus, isOwn }) => corpus === name && isOwn)
        .map(({ answerable, results }) => [answerable, results.map(({ confidence }) => confidence)]);
    expect(estimates(pairsOf(changed), 'a')).toEqual(estimates(pairsOf(), 'a'));
    expect(estimates(pairsOf(changed), 'b')).not.toEqual(estimates(pairsOf(), 'b'));
  });
});
