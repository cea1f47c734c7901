import { type Explanation, leaf } from '../../../model/answer/explanation.ts';
import type { ScoredUnit } from '../candidates/candidate.ts';
import type { LegWeights } from './blend.ts';
import { type Fusion, legPart } from './fusion.ts';

/** From Cormack, Clarke and Buettcher 2009, and the registry's documents. */
export const RRF_K = 60;

/** Reciprocal rank fusion: a leg adds `weight / (k + rank)` for units that it found, and both together `consensus`. */
export function byRank(k: number, weights: LegWeights, consensus = 0): Fusion {
  const gain = (rank: number | null, weight: number) => (rank === null ? 0 : weight / (k + rank));
  const part = (leg: 'keyword' | 'vector', rank: number | null, unit: ScoredUnit): readonly Explanation[] => {
    const value = gain(rank, weights[leg]);
    return value === 0 ? [] : [legPart(leg, value, unit, { k, weight: weights[leg] })];
  };
  const agreed = ({ keywordRank, vectorRank }: ScoredUnit) =>
    keywordRank === null || vectorRank === null ? 0 : consensus;
  return {
    score: (unit) =>
      gain(unit.vectorRank, weights.vector) + gain(unit.keywordRank, weights.keyword) + agreed(unit) || null,
    parts: (unit) => [
      ...part('vector', unit.vectorRank, unit),
      ...part('keyword', unit.keywordRank, unit),
      ...(agreed(unit) === 0 ? [] : [leaf('in both lists', consensus)]),
    ],
  };
}
