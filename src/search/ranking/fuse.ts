import type { EntityId } from '../../model/entity.ts';
import { sum } from '../../model/explanation.ts';
import { weightsBySpecificity } from '../identifier/adr-003.ts';
import type { QueryReading } from '../identifier/read-query.ts';
import type { SearchPlan } from '../plan.ts';
import { MAX_LEXICAL_BOOST } from '../presets.ts';
import { bestCandidatesFirst } from './best-candidates.ts';
import { confidenceFor, type QueryEvidence } from './calibrate/confidence.ts';
import { roundScore } from './calibrate/normalize-scores.ts';
import { type Candidate, isOwnResult } from './candidate.ts';
import { blendWeights, type LegWeights, MAX_COUNTED } from './fusion/blend.ts';
import { byRank } from './fusion/by-rank.ts';
import { byScore } from './fusion/by-score.ts';
import type { Fusion, Pair } from './fusion/fusion.ts';
import { boosted, byShare, linear } from './fusion/linear.ts';
import type { RankedList } from './ranked-list.ts';

/** What the legs brought. */
export interface Retrieved {
  /** Everything that a leg found, with what each says of it. */
  readonly pairs: readonly Pair[];
  /** The lists as they came. An absent vector leg (not asked for, not needed, or the embedder is down) is null. */
  readonly keyword: RankedList;
  readonly vector: RankedList | null;
  /** The share of units that have their vector: below 1 while an index is being filled. */
  readonly vectorCoverage: number;
  readonly reading: QueryReading;
  readonly evidence: QueryEvidence;
  /** What did not answer when it was last asked. */
  readonly dead: ReadonlySet<EntityId>;
}

/** Joins the legs: one candidate for each entity, best first. */
export function fuse(plan: SearchPlan, retrieved: Retrieved): readonly Candidate[] {
  const { preset, request } = plan;
  const { pairs, evidence } = retrieved;
  const fusion = fusionOf(plan, pairs, retrieved);

  const confidence = confidenceFor(evidence);
  const share = keywordShare(plan, evidence);
  const candidates: Candidate[] = [];
  for (const pair of pairs) {
    const score = fusion.score(pair);
    if (score === null) continue;
    const { hit } = (pair.keyword ?? pair.vector)!;
    candidates.push({
      key: pair.key,
      entity: hit.entity,
      type: isOwnResult(plan, hit) ? 'tool' : hit.type,
      score,
      // Rounded here, so that a line at a shown value lets what showed it pass.
      confidence: roundScore(confidence(pair.vector?.unitScore ?? null, share(pair))),
      keyword: pair.keyword,
      vector: pair.vector,
      explain: request.explain ? () => sum('fusion', fusion.parts(pair)) : undefined,
    });
  }
  return bestCandidatesFirst(candidates, preset.ties === 'id' ? 'id' : 'order');
}

/** How much of what the keyword leg could give a candidate has, from 0 to 1. */
function keywordShare({ preset }: SearchPlan, { ceiling }: QueryEvidence): (pair: Pair) => number {
  const most = { bm25f: ceiling, boost: MAX_LEXICAL_BOOST, coverage: 1, constant: 1 }[preset.keyword.scorer];
  if (most === 0) return () => 0;
  return ({ keyword }) => (keyword === undefined ? 0 : Math.min(1, keyword.unitScore / most));
}

function fusionOf(plan: SearchPlan, pairs: readonly Pair[], retrieved: Retrieved): Fusion {
  const { preset } = plan;
  switch (preset.fusion) {
    case 'share':
      return byShare(preset.shareOf);
    case 'rrf':
      return byRank(preset.rrfK, typeof preset.weights === 'string' ? { keyword: 1, vector: 1 } : preset.weights);
    case 'boosted':
      return boosted();
    case 'linear':
      return linear({
        weights: weightsOf(plan, pairs, retrieved),
        ceiling: preset.keyword.scorer === 'bm25f' ? retrieved.evidence.ceiling : 1,
        cosines: preset.cosines,
      });
    case 'blend':
      return byScore(pairs, weightsOf(plan, pairs, retrieved));
  }
}

/** How much each leg counts for this query; the two add up to 1. */
function weightsOf(plan: SearchPlan, pairs: readonly Pair[], retrieved: Retrieved): LegWeights {
  const { weights } = plan.preset;
  if (retrieved.vector === null) return { keyword: 1, vector: 0 };
  if (weights === 'specificity') return weightsBySpecificity(plan.text);
  if (weights !== 'adaptive') return toShares(weights);
  const { evidence, vectorCoverage } = retrieved;
  const keyword: number[] = [];
  const vector: number[] = [];
  for (const pair of pairs) {
    if ((pair.keyword?.rank ?? Infinity) <= MAX_COUNTED) keyword.push(pair.keyword!.score);
    if ((pair.vector?.rank ?? Infinity) <= MAX_COUNTED) vector.push(pair.vector!.score);
  }
  const { terms, cosines } = evidence;
  return covered(blendWeights(keyword, vector, { terms, bestCosine: cosines?.best ?? 0 }), vectorCoverage);
}

/** The nearest of a few that happen to have vectors are no neighbors: a leg that sees a part of the index counts as much. */
function covered({ keyword, vector }: LegWeights, coverage: number): LegWeights {
  if (keyword === 0) return { keyword, vector };
  return { keyword: keyword + vector * (1 - coverage), vector: vector * coverage };
}

function toShares({ keyword, vector }: LegWeights): LegWeights {
  return { keyword: keyword / (keyword + vector), vector: vector / (keyword + vector) };
}
