import { sum } from '../../model/answer/explanation.ts';
import type { EntityId } from '../../model/entity.ts';
import { weightsBySpecificity } from '../identifier/adr-003.ts';
import type { QueryClassification } from '../identifier/classify-query.ts';
import type { SearchPlan } from '../plan/plan.ts';
import { nextDepth } from '../retrieval/fetch-enough.ts';
import type { Retrieved } from '../retrieval/retrieval.ts';
import type { QueryEvidence } from './calibrate/confidence.ts';
import { sureActionShares } from './candidates/actions.ts';
import { bestCandidatesFirst } from './candidates/best-candidates.ts';
import { Candidate, type ResultUnits, type ScoredUnit } from './candidates/candidate.ts';
import type { GraphLinks } from './candidates/graph-links.ts';
import { blendWeights, conversationWeights, type LegWeights, MAX_SAMPLED } from './fusion/blend.ts';
import { byRank } from './fusion/by-rank.ts';
import { byScore } from './fusion/by-score.ts';
import type { Fusion } from './fusion/fusion.ts';
import { boosted, byShare, inverseKeywordScore, linear, shareOfCeiling } from './fusion/linear.ts';
import { scoreUnits } from './score-units.ts';
import { choicesOf, type ToolChoice } from './tool-choice.ts';

/** The input of the ranking besides the plan. */
export interface RankInput {
  readonly retrieved: Retrieved;
  readonly classification: QueryClassification;
  readonly evidence: QueryEvidence;
  /** Entities that did not respond to the last check. */
  readonly dead: ReadonlySet<EntityId>;
  /** The edges between the results, for a preset that uses the graph. Default: none. */
  readonly links?: GraphLinks | null;
  /** By superseded memory, its successor. Default: none. */
  readonly successors?: ReadonlyMap<EntityId, EntityId> | undefined;
  /** The keys of results that match a search of all types: naming some types does not hide them. Default: none. */
  readonly matching?: ReadonlySet<string> | undefined;
}

/**
 * Fuses the scores of the legs: one candidate per result, by depth, then best first. If the preset has a `depth`, the units
 * that a search to that depth finds are ranked first, by themselves. What a deeper search finds comes after them, so that
 * it does not change the first results.
 */
export function fuse(plan: SearchPlan, input: RankInput): Fused {
  const { keyword, vector } = input.retrieved;
  const longest = Math.max(keyword.length, vector?.length ?? 0);
  let units = plan.preset.depth ?? longest;
  const first = fuseTo(units, 0, plan, input);
  let { candidates } = first;
  const choices = choicesOf(plan, candidates, input.retrieved);
  for (let depth = 1; units < longest; depth++) {
    const next = nextDepth(units);
    units = next > units ? next : longest;
    candidates = withDeeper(candidates, fuseTo(units, depth, plan, input).candidates);
  }
  return { candidates, fusion: first.fusion, choices };
}

export interface Fused {
  readonly candidates: readonly Candidate[];
  /** How the first candidates were scored. */
  readonly fusion: Fusion;
  /** The servers whose tools are to be compared. */
  readonly choices: readonly ToolChoice[];
}

function withDeeper(candidates: readonly Candidate[], deeper: readonly Candidate[]): readonly Candidate[] {
  const all = candidates.slice();
  const keys = new Set<string>();
  for (const { key } of candidates) keys.add(key);
  for (const candidate of deeper) if (!keys.has(candidate.key)) all.push(candidate);
  return all;
}

function fuseTo(
  units: number,
  depth: number,
  plan: SearchPlan,
  { retrieved, evidence }: RankInput,
): Pick<Fused, 'candidates' | 'fusion'> {
  const { preset, request } = plan;
  const { toolsAsResults, chunksAsResults } = plan;
  const results = scoreUnits({ toolsAsResults, chunksAsResults, cards: preset.cardCounts }, retrieved, units);
  const fusion = fusionOf(plan, results, retrieved, evidence);
  const candidates: Candidate[] = [];
  for (const result of results) {
    const best = bestUnit(result.units, fusion);
    if (best === null) continue;
    const explain = request.explain ? () => sum('fusion', fusion.parts(best)) : undefined;
    candidates.push(new Candidate(result, best, best.score!, depth, explain));
  }
  return { candidates: bestCandidatesFirst(candidates, preset.ties === 'id' ? 'id' : 'order'), fusion };
}

/** Scores every unit and returns the best; null if no unit has a score. */
function bestUnit(units: readonly ScoredUnit[], fusion: Fusion): ScoredUnit | null {
  let best: ScoredUnit | null = null;
  for (const unit of units) {
    if (unit.keyword === null && unit.vector === null) continue;
    unit.score = fusion.score(unit);
    if (unit.score !== null && (best === null || unit.score > best.score!)) best = unit;
  }
  return best;
}

function fusionOf(
  plan: SearchPlan,
  results: readonly ResultUnits[],
  retrieved: Retrieved,
  evidence: QueryEvidence,
): Fusion {
  const { preset } = plan;
  switch (preset.fusion) {
    case 'share':
      return byShare(preset.shareOf);
    case 'rrf':
      return byRank(
        preset.rrfK,
        typeof preset.weights === 'string' ? { keyword: 1, vector: 1 } : preset.weights,
        preset.consensus,
      );
    case 'boosted':
      return boosted();
    case 'linear':
      return linear({
        weights: weightsOf(plan, results, retrieved, evidence),
        keywordGain:
          preset.keywordScale === 'inverse'
            ? inverseKeywordScore
            : shareOfCeiling(preset.keyword.scorer === 'bm25f' ? evidence.ceiling : 1),
        cosines: preset.cosines,
      });
    case 'blend':
      return byScore(results, weightsOf(plan, results, retrieved, evidence), {
        ceiling: evidence.ceiling,
        action: preset.choosesTools ? sureActionShares(plan.text) : null,
      });
  }
}

/** The weights of the legs for this query. Their sum is 1. */
function weightsOf(
  plan: SearchPlan,
  results: readonly ResultUnits[],
  { vector: vectorList, evidence: { vectors, missingVectors } }: Retrieved,
  { terms, cosines, ceiling }: QueryEvidence,
): LegWeights {
  const { weights } = plan.preset;
  if (vectorList === null) return { keyword: 1, vector: 0 };
  if (weights === 'specificity') return weightsBySpecificity(plan.text);
  if (typeof weights !== 'string') return normalizedWeights(weights);
  const keyword: number[] = [];
  const vector: number[] = [];
  for (const { units } of results) {
    for (const unit of units) {
      if ((unit.keywordRank ?? Infinity) <= MAX_SAMPLED) keyword.push(unit.keyword!);
      if ((unit.vectorRank ?? Infinity) <= MAX_SAMPLED) vector.push(unit.vector!);
    }
  }
  let best = 0;
  for (let i = 0; i < keyword.length; i++) if (keyword[i]! > best) best = keyword[i]!;
  const facts = { terms, bestCosine: cosines?.best ?? 0, explained: ceiling > 0 ? Math.min(1, best / ceiling) : 0 };
  const coverage = vectors / Math.max(1, vectors + missingVectors);
  const weigh = weights === 'conversation' ? conversationWeights : blendWeights;
  return scaledByCoverage(weigh(keyword, vector, facts), coverage);
}

/** Reduces the weight of the vector leg to the share of units with a vector: it cannot find the others. */
function scaledByCoverage({ keyword, vector }: LegWeights, coverage: number): LegWeights {
  if (keyword === 0) return { keyword, vector };
  return { keyword: keyword + vector * (1 - coverage), vector: vector * coverage };
}

function normalizedWeights({ keyword, vector }: LegWeights): LegWeights {
  return { keyword: keyword / (keyword + vector), vector: vector / (keyword + vector) };
}
