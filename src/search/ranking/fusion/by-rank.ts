import type { Explanation } from '../../../model/explanation.ts';
import type { ScoredUnit } from '../candidate.ts';
import type { LegWeights } from './blend.ts';
import { type Fusion, legPart } from './fusion.ts';

/** From Cormack, Clarke and Buettcher 2009, and the registry's documents. */
export const RRF_K = 60;

/** Reciprocal rank fusion: a leg adds `weight / (k + rank)` for units that it found. */
export function byRank(k: number, weights: LegWeights): Fusion {
  const gain = (rank: number | null, weight: number) => (rank === null ? 0 : weight / (k + rank));
  const part = (leg: 'keyword' | 'vector', rank: number | null, unit: ScoredUnit): readonly Explanation[] => {
    const value = gain(rank, weights[leg]);
    return value === 0 ? [] : [legPart(leg, value, unit, { k, weight: weights[leg] })];
  };
  return {
    score: ({ keywordRank, vectorRank }) =>
      gain(vectorRank, weights.vector) + gain(keywordRank, weights.keyword) || null,
    parts: (unit) => [...part('vector', unit.vectorRank, unit), ...part('keyword', unit.keywordRank, unit)],
  };
}
