import { type Explanation, leaf, scaled, sum } from '../model/explanation.ts';
import { type Candidate, type LegHit, resultKey, rollUp } from './candidate.ts';
import { blendWeights, type LegWeights, type Spread, spreadOf } from './fusion/blend.ts';
import type { SearchPlan } from './plan.ts';
import { compareIds, type RankedList, type UnitHit } from './ranked-list.ts';
import { analyzeQuery } from './text/analyzer.ts';

/** What the legs brought. */
export interface Retrieved {
  readonly keyword: RankedList;
  /** An absent vector leg (not asked for, or the embedder is down) is null, an empty one is []. */
  readonly vector: RankedList | null;
  /** Scores of what only the other leg found; [] where the preset does not ask for them. */
  readonly keywordLookedUp: RankedList;
  readonly vectorLookedUp: RankedList;
  /** The share of units that have their vector: below 1 while an index is being filled. */
  readonly vectorCoverage: number;
}

/** An entity with what each leg says of it, before there is one score. */
interface Pair {
  readonly key: string;
  readonly keyword: LegHit | undefined;
  readonly vector: LegHit | undefined;
}

/** A leg's contribution with the leg's own reasons below it, each as its share of the contribution. */
function legPart(leg: string, value: number, { hit, rank }: LegHit, detail: Record<string, number>): Explanation {
  const found = rank === null ? {} : { rank };
  const node = leaf(leg, value, { ...found, ...detail, score: hit.score, unit: hit.title });
  const reasons = hit.detail;
  if (reasons === undefined || reasons.value === 0) return node;
  return { ...node, parts: [scaled(reasons, value / reasons.value)] };
}

/** One way to join the legs: the score of a pair, null for none, and the parts that add up to it. */
interface Fusion {
  score(pair: Pair): number | null;
  parts(pair: Pair): readonly Explanation[];
}

/** Reciprocal rank fusion: what a leg did not find itself gets nothing from it. */
function byRank({ preset }: SearchPlan, weights: LegWeights): Fusion {
  const k = preset.rrfK;
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

/** One leg alone, as a share of the most it can give. */
function byShare({ preset }: SearchPlan): Fusion {
  const of = preset.shareOf;
  const share = (keyword: LegHit) => Math.min(1, keyword.hit.score / of);
  return {
    score: ({ keyword }) => (keyword === undefined ? null : share(keyword)),
    parts: ({ keyword }) => (keyword === undefined ? [] : [legPart('keyword', share(keyword), keyword, { of })]),
  };
}

/** Score-aware fusion: see `fusion/blend.ts`. Scores are 1 for the best candidate and 0 for the worst. */
function byScore(
  { preset, text }: SearchPlan,
  pairs: readonly Pair[],
  { vector: found, vectorCoverage }: Retrieved,
): Fusion {
  const hasVectors = found !== null;
  /** The scores of what each leg found itself, and of everything. */
  const listed = { keyword: [] as number[], vector: [] as number[] };
  const all = { keyword: [] as number[], vector: [] as number[] };
  for (const pair of pairs) {
    all.keyword.push(pair.keyword?.hit.score ?? 0);
    if (pair.keyword !== undefined && pair.keyword.rank !== null) listed.keyword.push(pair.keyword.hit.score);
    if (pair.vector === undefined) continue;
    all.vector.push(pair.vector.hit.score);
    if (pair.vector.rank !== null) listed.vector.push(pair.vector.hit.score);
  }
  const weights =
    preset.weights !== 'adaptive'
      ? toShares(preset.weights, hasVectors)
      : covered(blendWeights(listed.keyword, listed.vector, analyzeQuery(text).length), vectorCoverage);
  const keyword = spreadOf(all.keyword);
  const vector = spreadOf(all.vector);
  const perKeyword = weights.keyword / keyword.deviation;
  const perVector = weights.vector / vector.deviation;
  const raw = (pair: Pair) =>
    perKeyword * (pair.keyword?.hit.score ?? 0) + perVector * (pair.vector?.hit.score ?? vector.mean);

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
          : legPart('vector', perVector * pair.vector.hit.score * factor, pair.vector, detail),
      );
    }
    if (weights.keyword > 0 && pair.keyword !== undefined) {
      const detail = scaleOf(weights.keyword, keyword);
      shares.push(legPart('keyword', perKeyword * pair.keyword.hit.score * factor, pair.keyword, detail));
    }
    shares.push(leaf('lowest candidate', -worst * factor));
    return shares;
  }
  return { score: (pair) => (raw(pair) - worst) * factor, parts };
}

/** The numbers behind a leg's contribution; a leg whose scores are all alike has no scale. */
function scaleOf(weight: number, { deviation }: Spread): Record<string, number> {
  return Number.isFinite(deviation) ? { weight, deviation } : { weight };
}

/** The nearest of a few that happen to have vectors are no neighbours: a leg that sees a part of the index counts as much. */
function covered({ keyword, vector }: LegWeights, coverage: number): LegWeights {
  if (keyword === 0) return { keyword, vector };
  return { keyword: keyword + vector * (1 - coverage), vector: vector * coverage };
}

function toShares({ keyword, vector }: LegWeights, hasVectors: boolean): LegWeights {
  if (!hasVectors) return { keyword: 1, vector: 0 };
  return { keyword: keyword / (keyword + vector), vector: vector / (keyword + vector) };
}

/** Joins the legs: one candidate for each entity, best first. */
export function fuse(plan: SearchPlan, retrieved: Retrieved): readonly Candidate[] {
  const { preset, request } = plan;
  const { keyword, vector, keywordLookedUp, vectorLookedUp } = retrieved;
  const keyOf = (hit: UnitHit) => resultKey(plan, hit);
  const byKeyword = rollUp(keyword, keywordLookedUp, keyOf);
  const byVector = rollUp(vector ?? [], vectorLookedUp, keyOf);
  const pairs: Pair[] = [];
  for (const [key, hit] of byVector) pairs.push({ key, keyword: byKeyword.get(key), vector: hit });
  for (const [key, hit] of byKeyword) if (!byVector.has(key)) pairs.push({ key, keyword: hit, vector: undefined });
  const fusion =
    preset.fusion === 'share'
      ? byShare(plan)
      : preset.fusion === 'rrf'
        ? byRank(plan, preset.weights === 'adaptive' ? { keyword: 1, vector: 1 } : preset.weights)
        : byScore(plan, pairs, retrieved);

  const candidates: Candidate[] = [];
  for (const pair of pairs) {
    const score = fusion.score(pair);
    if (score === null) continue;
    const { hit } = (pair.keyword ?? pair.vector)!;
    candidates.push({
      key: pair.key,
      entity: hit.entity,
      type: pair.key === hit.unit ? 'tool' : hit.type,
      score,
      keyword: pair.keyword,
      vector: pair.vector,
      explain: request.explain ? () => sum('fusion', fusion.parts(pair)) : undefined,
    });
  }
  const byId = preset.ties === 'id';
  return candidates.sort((a, b) => b.score - a.score || (byId ? compareIds(a.key, b.key) : 0));
}
