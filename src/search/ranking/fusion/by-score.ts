import { type Explanation, leaf } from '../../../model/answer/explanation.ts';
import type { sureActionShares } from '../candidates/actions.ts';
import type { ResultUnits, ScoredUnit } from '../candidates/candidate.ts';
import { type LegWeights, MAX_SAMPLED, type Spread, spreadOf } from './blend.ts';
import { type Fusion, legPart } from './fusion.ts';
import { shareOfCeiling } from './linear.ts';

/** The weight of an action between servers, in distances from the worst candidate to the best. */
const ACTION_SHARE = 1;

interface Extras {
  /** The highest keyword score possible. Default: unknown. */
  readonly ceiling?: number;
  /** What the unit gets besides its scores, where 1 is the distance from the worst result to the best. Default: nothing. */
  readonly action?: ReturnType<typeof sureActionShares>;
}

/** Score-aware fusion, see `blend.ts`. The best result has score 1, the worst 0. */
export function byScore(
  results: readonly ResultUnits[],
  weights: LegWeights,
  { ceiling = 0, action = null }: Extras = {},
): Fusion {
  const byKeyword: number[] = [];
  const byVector: number[] = [];
  for (const { units } of results) {
    for (const unit of units) {
      if (!isSampled(unit.keywordRank) && !isSampled(unit.vectorRank)) continue;
      byKeyword.push(unit.keyword ?? 0);
      if (unit.vector !== null) byVector.push(unit.vector);
    }
  }
  const keyword = spreadOf(byKeyword);
  const vector = spreadOf(byVector);
  const perKeyword = weights.keyword / keyword.deviation;
  const perVector = weights.vector / vector.deviation;
  const byLegs = (unit: ScoredUnit) => perKeyword * (unit.keyword ?? 0) + perVector * (unit.vector ?? vector.mean);

  const legs = rangeOf(results, byLegs);
  const distance = legs.best - legs.worst;
  const raw =
    action === null ? byLegs : (unit: ScoredUnit) => byLegs(unit) + ACTION_SHARE * distance * action(unit.found);
  const { best, worst } = action === null ? legs : rangeOf(results, raw);
  if (!(best > worst)) {
    const detail = (unit: ScoredUnit) => (ceiling === 0 ? {} : { share: shareOfCeiling(ceiling)(unit.keyword ?? 0) });
    return { score: () => 1, parts: (unit) => [leaf('all candidates are equal', 1, detail(unit))] };
  }
  const factor = 1 / (best - worst);

  function parts(unit: ScoredUnit): readonly Explanation[] {
    const shares: Explanation[] = [];
    if (weights.vector > 0) {
      const detail = scaleOf(weights.vector, vector);
      shares.push(
        unit.vector === null
          ? leaf('vector unknown, taken as average', perVector * vector.mean * factor, detail)
          : legPart('vector', perVector * unit.vector * factor, unit, detail),
      );
    }
    if (weights.keyword > 0 && unit.keyword !== null) {
      const share = shareOfCeiling(ceiling)(unit.keyword);
      const detail =
        ceiling === 0 ? scaleOf(weights.keyword, keyword) : { ...scaleOf(weights.keyword, keyword), share };
      shares.push(legPart('keyword', perKeyword * unit.keyword * factor, unit, detail));
    }
    const share = action === null ? 0 : ACTION_SHARE * action(unit.found) * distance * factor;
    if (share !== 0) shares.push(leaf(share > 0 ? 'does what the query asks' : 'does something else', share));
    shares.push(leaf('lowest candidate', -worst * factor));
    return shares;
  }
  return { score: (unit) => (raw(unit) - worst) * factor, parts };
}

/** The best and worst score of all results. The score of a result is that of its best unit. */
function rangeOf(results: readonly ResultUnits[], raw: (unit: ScoredUnit) => number) {
  let best = Number.NEGATIVE_INFINITY;
  let worst = Number.POSITIVE_INFINITY;
  for (const { units } of results) {
    let value = Number.NEGATIVE_INFINITY;
    for (const unit of units) if (unit.keyword !== null || unit.vector !== null) value = Math.max(value, raw(unit));
    if (value === Number.NEGATIVE_INFINITY) continue;
    if (value > best) best = value;
    if (value < worst) worst = value;
  }
  return { best, worst };
}

const isSampled = (rank: number | null) => rank !== null && rank <= MAX_SAMPLED;

/** The details of a leg for its explanation. If all its scores are equal, it has no deviation. */
function scaleOf(weight: number, { deviation }: Spread): Record<string, number> {
  return Number.isFinite(deviation) ? { weight, deviation } : { weight };
}
