import type { Explanation } from '../../../model/answer/explanation.ts';
import { leaf, sum } from '../../../model/answer/explanation.ts';
import type { ScoredUnit } from '../candidates/candidate.ts';
import type { LegWeights } from './blend.ts';
import { type Fusion, legPart } from './fusion.ts';

interface LinearOptions {
  readonly weights: LegWeights;
  /** A keyword score as a number from 0 to 1. */
  readonly keywordGain: (score: number) => number;
  readonly cosines: 'plain' | 'shifted';
}

/** The share of the highest possible score. */
export const shareOfCeiling =
  (ceiling: number) =>
  (score: number): number =>
    ceiling === 0 ? 0 : Math.min(1, score / ceiling);

/**
 * The memory service's scale: `1 + rank / 10` within 0 and 1, where `rank` is the negative score. It falls as the match gets
 * better: a rare exact word gets 0, a word that is everywhere nearly 1.
 */
export const inverseKeywordScore = (score: number): number => Math.max(0, Math.min(1, 1 - score / 10));

/** A weighted sum of scores. A unit that a leg did not find gets 0 from it, as in the published designs. */
export function linear({ weights, keywordGain, cosines }: LinearOptions): Fusion {
  const listed = (unit: ScoredUnit, leg: 'keyword' | 'vector') => {
    const rank = leg === 'keyword' ? unit.keywordRank : unit.vectorRank;
    return rank === null ? null : unit[leg];
  };
  const gains = {
    keyword: (score: number) => weights.keyword * keywordGain(score),
    vector: (score: number) => weights.vector * (cosines === 'shifted' ? (score + 1) / 2 : Math.max(0, score)),
  };
  const gain = (unit: ScoredUnit, leg: 'keyword' | 'vector'): number | null => {
    const score = weights[leg] === 0 ? null : listed(unit, leg);
    return score === null ? null : gains[leg](score);
  };
  return {
    score(unit) {
      const keyword = gain(unit, 'keyword');
      const vector = gain(unit, 'vector');
      return keyword === null && vector === null ? null : (vector ?? 0) + (keyword ?? 0);
    },
    parts: (unit) =>
      (['vector', 'keyword'] as const).flatMap((leg) => {
        const value = gain(unit, leg);
        return value === null ? [] : [legPart(leg, value, unit, { weight: weights[leg] })];
      }),
  };
}

/** The registry's older formula: clamp01((cosine + 1) / 2 + boost / 10). Without a cosine: boost / 10. */
export function boosted(): Fusion {
  const PER_BOOST = 0.1;
  const base = (vector: number | null) => (vector === null ? 0 : (vector + 1) / 2);
  const boost = (keyword: number | null) => (keyword === null ? 0 : PER_BOOST * keyword);
  const clamp = (score: number) => Math.min(1, Math.max(0, score));
  return {
    score: ({ keyword, vector }) => clamp(base(vector) + boost(keyword)),
    parts(unit) {
      const parts: Explanation[] = [];
      if (unit.vector !== null) parts.push(legPart('vector', base(unit.vector), unit, {}));
      if (unit.keyword !== null) parts.push(legPart('keyword', boost(unit.keyword), unit, { weight: PER_BOOST }));
      const total = sum('', parts).value;
      if (clamp(total) !== total) parts.push(leaf('no more than 1', clamp(total) - total));
      return parts;
    },
  };
}

/** The keyword score divided by its maximum, for rankings with one leg. */
export function byShare(maxScore: number): Fusion {
  const share = (keyword: number) => Math.min(1, keyword / maxScore);
  return {
    score: ({ keyword }) => (keyword === null ? null : share(keyword)),
    parts: (unit) => (unit.keyword === null ? [] : [legPart('keyword', share(unit.keyword), unit, { of: maxScore })]),
  };
}
