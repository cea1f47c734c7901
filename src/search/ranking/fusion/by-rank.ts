import type { Explanation } from '../../../model/explanation.ts';
import type { LegHit } from '../candidate.ts';
import type { LegWeights } from './blend.ts';
import { type Fusion, legPart } from './fusion.ts';

/** Reciprocal rank fusion: what a leg did not find itself gets nothing from it. */
export function byRank(k: number, weights: LegWeights): Fusion {
  const gain = (found: LegHit | undefined, weight: number) =>
    found === undefined || found.rank === null || weight === 0 ? 0 : weight / (k + found.rank);
  const part = (leg: 'keyword' | 'vector', found: LegHit | undefined): readonly Explanation[] => {
    const value = gain(found, weights[leg]);
    return value === 0 ? [] : [legPart(leg, value, found!, { k, weight: weights[leg] })];
  };
  return {
    score: ({ keyword, vector }) => gain(vector, weights.vector) + gain(keyword, weights.keyword) || null,
    parts: ({ keyword, vector }) => [...part('vector', vector), ...part('keyword', keyword)],
  };
}
