import { type Explanation, leaf } from '../../../model/explanation.ts';
import type { LegHit } from '../candidate.ts';
import { type LegWeights, MAX_COUNTED, type Spread, spreadOf } from './blend.ts';
import { type Fusion, legPart, type Pair } from './fusion.ts';

/** Score-aware fusion: see `blend.ts`. Scores are 1 for the best candidate and 0 for the worst. */
export function byScore(pairs: readonly Pair[], weights: LegWeights): Fusion {
  const byKeyword: number[] = [];
  const byVector: number[] = [];
  for (const pair of pairs) {
    if (!isCounted(pair.keyword) && !isCounted(pair.vector)) continue;
    byKeyword.push(pair.keyword === undefined ? 0 : pair.keyword.score);
    if (pair.vector !== undefined) byVector.push(pair.vector.score);
  }
  const keyword = spreadOf(byKeyword);
  const vector = spreadOf(byVector);
  const perKeyword = weights.keyword / keyword.deviation;
  const perVector = weights.vector / vector.deviation;
  const raw = (pair: Pair) => perKeyword * (pair.keyword?.score ?? 0) + perVector * (pair.vector?.score ?? vector.mean);

  let best = Number.NEGATIVE_INFINITY;
  let worst = Number.POSITIVE_INFINITY;
  for (const pair of pairs) {
    const value = raw(pair);
    if (value > best) best = value;
    if (value < worst) worst = value;
  }
  if (!(best > worst)) return { score: () => 1, parts: () => [leaf('all candidates are equal', 1)] };
  const factor = 1 / (best - worst);

  function parts(pair: Pair): readonly Explanation[] {
    const shares: Explanation[] = [];
    if (weights.vector > 0) {
      const detail = scaleOf(weights.vector, vector);
      shares.push(
        pair.vector === undefined
          ? leaf('vector unknown, taken as average', perVector * vector.mean * factor, detail)
          : legPart('vector', perVector * pair.vector.score * factor, pair.vector, detail),
      );
    }
    if (weights.keyword > 0 && pair.keyword !== undefined) {
      const detail = scaleOf(weights.keyword, keyword);
      shares.push(legPart('keyword', perKeyword * pair.keyword.score * factor, pair.keyword, detail));
    }
    shares.push(leaf('lowest candidate', -worst * factor));
    return shares;
  }
  return { score: (pair) => (raw(pair) - worst) * factor, parts };
}

const isCounted = (found: LegHit | undefined) =>
  found !== undefined && found.rank !== null && found.rank <= MAX_COUNTED;

/** The numbers behind a leg's contribution; a leg whose scores are all alike has no scale. */
function scaleOf(weight: number, { deviation }: Spread): Record<string, number> {
  return Number.isFinite(deviation) ? { weight, deviation } : { weight };
}
