import type { Explanation } from '../../../model/explanation.ts';
import { leaf, sum } from '../../../model/explanation.ts';
import type { LegHit } from '../candidate.ts';
import type { LegWeights } from './blend.ts';
import { type Fusion, legPart } from './fusion.ts';

export interface LinearOptions {
  readonly weights: LegWeights;
  /** The most the keyword leg can give: its scores count as shares of it. */
  readonly ceiling: number;
  readonly cosines: 'plain' | 'shifted';
}

/** Weighted scores, added. What a leg did not find itself counts 0, as the published designs have it. */
export function linear({ weights, ceiling, cosines }: LinearOptions): Fusion {
  const listed = (found: LegHit | undefined) => (found === undefined || found.rank === null ? undefined : found);
  const keywordShare = (found: LegHit) => (ceiling === 0 ? 0 : Math.min(1, found.score / ceiling));
  const cosineShare = ({ score }: LegHit) => (cosines === 'shifted' ? (score + 1) / 2 : Math.max(0, score));
  const keywordGain = (found: LegHit | undefined) => (found === undefined ? 0 : weights.keyword * keywordShare(found));
  const vectorGain = (found: LegHit | undefined) => (found === undefined ? 0 : weights.vector * cosineShare(found));
  const part = (leg: 'keyword' | 'vector', value: number, found: LegHit | undefined): readonly Explanation[] =>
    found === undefined || weights[leg] === 0 ? [] : [legPart(leg, value, found, { weight: weights[leg] })];
  return {
    score(pair) {
      const keyword = weights.keyword === 0 ? undefined : listed(pair.keyword);
      const vector = weights.vector === 0 ? undefined : listed(pair.vector);
      if (keyword === undefined && vector === undefined) return null;
      return vectorGain(vector) + keywordGain(keyword);
    },
    parts(pair) {
      const keyword = listed(pair.keyword);
      const vector = listed(pair.vector);
      return [...part('vector', vectorGain(vector), vector), ...part('keyword', keywordGain(keyword), keyword)];
    },
  };
}

/** The registry's older formula: clamp01((cosine + 1) / 2 + boost / 10). Without a vector, a tenth of the boost. */
export function boosted(): Fusion {
  const PER_BOOST = 0.1;
  const base = (vector: LegHit | undefined) => (vector === undefined ? 0 : (vector.score + 1) / 2);
  const boost = (keyword: LegHit | undefined) => (keyword === undefined ? 0 : PER_BOOST * keyword.score);
  const clamp = (score: number) => Math.min(1, Math.max(0, score));
  return {
    score: ({ keyword, vector }) => clamp(base(vector) + boost(keyword)),
    parts({ keyword, vector }) {
      const parts: Explanation[] = [];
      if (vector !== undefined) parts.push(legPart('vector', base(vector), vector, {}));
      if (keyword !== undefined) parts.push(legPart('keyword', boost(keyword), keyword, { weight: PER_BOOST }));
      const total = sum('', parts).value;
      if (clamp(total) !== total) parts.push(leaf('no more than 1', clamp(total) - total));
      return parts;
    },
  };
}

/** One leg alone, as a share of the most it can give. */
export function byShare(of: number): Fusion {
  const share = (keyword: LegHit) => Math.min(1, keyword.score / of);
  return {
    score: ({ keyword }) => (keyword === undefined ? null : share(keyword)),
    parts: ({ keyword }) => (keyword === undefined ? [] : [legPart('keyword', share(keyword), keyword, { of })]),
  };
}
