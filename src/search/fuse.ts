import { type Explanation, leaf, scaled, sum } from '../model/explanation.ts';
import { type Candidate, type LegHit, rollUp } from './candidate.ts';
import { blendWeights, type LegWeights, spreadOf } from './fusion/blend.ts';
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

/** Reciprocal rank fusion: what a leg did not find itself gets nothing from it. */
function byRank({ preset }: SearchPlan, weights: LegWeights): (pair: Pair) => readonly Explanation[] {
  const k = preset.rrfK;
  const part = (leg: 'keyword' | 'vector', found: LegHit | undefined): readonly Explanation[] => {
    const weight = weights[leg];
    if (found === undefined || found.rank === null || weight === 0) return [];
    return [legPart(leg, weight / (k + found.rank), found, { k, weight })];
  };
  return ({ keyword, vector }) => [...part('vector', vector), ...part('keyword', keyword)];
}

/** One leg alone, as a share of the most it can give. */
function byShare({ preset }: SearchPlan): (pair: Pair) => readonly Explanation[] {
  const of = preset.shareOf;
  return ({ keyword }) =>
    keyword === undefined ? [] : [legPart('keyword', Math.min(1, keyword.hit.score / of), keyword, { of })];
}

/** Score-aware fusion: see `fusion/blend.ts`. Scores are 1 for the best candidate and 0 for the worst. */
function byScore(
  { preset, text }: SearchPlan,
  pairs: readonly Pair[],
  { vector: found, vectorCoverage }: Retrieved,
): (pair: Pair) => readonly Explanation[] {
  const hasVectors = found !== null;
  const listed = (leg: 'keyword' | 'vector') =>
    pairs.flatMap((pair) => (pair[leg]?.rank == null ? [] : [pair[leg].hit.score]));
  const weights =
    preset.weights !== 'adaptive'
      ? toShares(preset.weights, hasVectors)
      : covered(
          blendWeights(listed('keyword'), hasVectors ? listed('vector') : [], analyzeQuery(text).length),
          vectorCoverage,
        );
  const keyword = spreadOf(pairs.map((pair) => pair.keyword?.hit.score ?? 0));
  const vector = spreadOf(pairs.flatMap((pair) => (pair.vector === undefined ? [] : [pair.vector.hit.score])));
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
  if (!(best > worst)) return () => [leaf('all candidates are equal', 1)];
  const factor = 1 / (best - worst);
  return (pair) => {
    const parts: Explanation[] = [];
    if (weights.vector > 0) {
      const detail = { weight: weights.vector, deviation: vector.deviation };
      parts.push(
        pair.vector === undefined
          ? leaf('vector unknown, taken as average', perVector * vector.mean * factor, detail)
          : legPart('vector', perVector * pair.vector.hit.score * factor, pair.vector, detail),
      );
    }
    if (weights.keyword > 0 && pair.keyword !== undefined) {
      const detail = { weight: weights.keyword, deviation: keyword.deviation };
      parts.push(legPart('keyword', perKeyword * pair.keyword.hit.score * factor, pair.keyword, detail));
    }
    parts.push(leaf('lowest candidate', -worst * factor));
    return parts;
  };
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
  const asUnit = (hit: UnitHit) => plan.toolsAsResults && hit.kind === 'tool';
  const byKeyword = rollUp(keyword, keywordLookedUp, asUnit);
  const byVector = rollUp(vector ?? [], vectorLookedUp, asUnit);
  const pairs: Pair[] = [...new Set([...byVector.keys(), ...byKeyword.keys()])].map((key) => ({
    key,
    keyword: byKeyword.get(key),
    vector: byVector.get(key),
  }));
  const partsOf =
    preset.fusion === 'share'
      ? byShare(plan)
      : preset.fusion === 'rrf'
        ? byRank(plan, preset.weights === 'adaptive' ? { keyword: 1, vector: 1 } : preset.weights)
        : byScore(plan, pairs, retrieved);

  const candidates: Candidate[] = [];
  for (const pair of pairs) {
    const parts = partsOf(pair);
    if (parts.length === 0) continue;
    const explanation = sum('fusion', parts);
    const { hit } = (pair.keyword ?? pair.vector)!;
    candidates.push({
      key: pair.key,
      entity: hit.entity,
      type: asUnit(hit) ? 'tool' : hit.type,
      score: explanation.value,
      ...(pair.keyword === undefined ? {} : { keyword: pair.keyword }),
      ...(pair.vector === undefined ? {} : { vector: pair.vector }),
      ...(request.explain ? { explanation } : {}),
    });
  }
  const byId = preset.ties === 'id';
  return candidates.sort((a, b) => b.score - a.score || (byId ? compareIds(a.key, b.key) : 0));
}
