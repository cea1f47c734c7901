import { type Explanation, leaf, scaled, sum } from '../model/explanation.ts';
import { roundScore, scalingOf } from './calibrate/normalize-scores.ts';
import { type Candidate, type LegEntry, rollUp } from './candidate.ts';
import { distribute } from './distribute/distribute.ts';
import type { SearchPlan } from './plan.ts';
import { compareIds, type RankedList, type UnitHit } from './ranked-list.ts';

/** What the legs brought. An absent vector leg (not asked for, or the embedder is down) is null, an empty one is []. */
export interface Retrieved {
  readonly keyword: RankedList;
  readonly vector: RankedList | null;
}

interface RankContext extends Retrieved {
  readonly plan: SearchPlan;
}

/** A step from candidates to candidates. Pure. */
export interface Stage {
  readonly name: string;
  run(candidates: readonly Candidate[], context: RankContext): readonly Candidate[];
}

/** A leg's contribution with the leg's own reasons below it, each as its share of the contribution. */
function legPart(leg: string, value: number, hit: UnitHit, detail: Record<string, number | string>): Explanation {
  const reasons = hit.detail;
  const node = leaf(leg, value, { ...detail, score: hit.score, unit: hit.title });
  if (reasons === undefined || reasons.value === 0) return node;
  return { ...node, parts: [scaled(reasons, value / reasons.value)] };
}

function candidateOf(
  key: string,
  keyword: LegEntry | undefined,
  vector: LegEntry | undefined,
  parts: readonly Explanation[],
  explain: boolean,
  asUnit: boolean,
): Candidate {
  const hit = (keyword ?? vector)!.hit;
  const explanation = sum('fusion', parts);
  return {
    key,
    entity: hit.entity,
    type: asUnit ? 'tool' : hit.type,
    score: explanation.value,
    ...(keyword === undefined ? {} : { keyword: { hit: keyword.hit, rank: keyword.rank } }),
    ...(vector === undefined ? {} : { vector: { hit: vector.hit, rank: vector.rank } }),
    ...(explain ? { explanation } : {}),
  };
}

const fuse: Stage = {
  name: 'fuse',
  run(_, { plan, keyword, vector }) {
    const { preset, request } = plan;
    const asUnit = (hit: UnitHit) => plan.toolsAsResults && hit.kind === 'tool';
    const byKeyword = rollUp(keyword, asUnit);
    const byVector = rollUp(vector ?? [], asUnit);
    const keys = new Set([...byVector.keys(), ...byKeyword.keys()]);
    const weights = { keyword: preset.weights.keyword, vector: vector === null ? 0 : preset.weights.vector };
    const candidates: Candidate[] = [];
    for (const key of keys) {
      const inKeyword = weights.keyword === 0 ? undefined : byKeyword.get(key);
      const inVector = weights.vector === 0 ? undefined : byVector.get(key);
      const parts: Explanation[] = [];
      const add = (leg: 'keyword' | 'vector', entry: LegEntry | undefined) => {
        if (entry === undefined) return;
        const { hit, rank } = entry;
        if (preset.fusion === 'share') {
          parts.push(legPart(leg, Math.min(1, hit.score / preset.shareOf), hit, { of: preset.shareOf }));
        } else {
          const weight = weights[leg];
          parts.push(legPart(leg, weight / (preset.rrfK + rank), hit, { rank, k: preset.rrfK, weight }));
        }
      };
      add('vector', inVector);
      add('keyword', inKeyword);
      if (parts.length === 0) continue;
      const unitResult = asUnit((inKeyword ?? inVector)!.hit);
      candidates.push(candidateOf(key, inKeyword, inVector, parts, request.explain, unitResult));
    }
    const byId = preset.ties === 'id';
    return candidates.sort((a, b) => b.score - a.score || (byId ? compareIds(a.key, b.key) : 0));
  },
};

const share: Stage = {
  name: 'share',
  run(candidates, { plan }) {
    const { softCap, resort } = plan.preset;
    const page = distribute(candidates, { maxResults: plan.request.max_results, softCap });
    return resort ? [...page].sort((a, b) => b.score - a.score || compareIds(a.key, b.key)) : page;
  },
};

/** Rewrites a score and accounts for the change in its explanation. */
function rescored(candidate: Candidate, score: number, factor: number, label: string, offset: number): Candidate {
  if (candidate.explanation === undefined) return { ...candidate, score };
  const base = scaled(candidate.explanation, factor);
  const parts = [base];
  if (offset !== 0) parts.push(leaf(label, offset));
  const rest = score - base.value - offset;
  if (rest !== 0) parts.push(leaf('rounding', rest));
  return { ...candidate, score, explanation: { label: 'relevance', value: score, parts } };
}

const normalize: Stage = {
  name: 'normalize',
  run(candidates, { plan }) {
    const mode = plan.preset.normalize;
    const { factor, offset } =
      mode === null
        ? { factor: 1, offset: 0 }
        : scalingOf(
            candidates.map((candidate) => candidate.score),
            mode,
          );
    const label = factor === 0 ? 'all scores are equal' : 'lowest score of the page';
    return candidates.map((candidate) => {
      const score = Math.min(1, Math.max(0, roundScore(candidate.score * factor + offset)));
      return rescored(candidate, score, factor, label, offset);
    });
  },
};

const floor: Stage = {
  name: 'floor',
  run: (candidates, { plan }) => candidates.filter((candidate) => candidate.score >= plan.preset.floor),
};

export const STAGES: readonly Stage[] = [fuse, share, normalize, floor];

/** From what the legs found to the page of results, best first, with scores in [0, 1]. */
export function rank(plan: SearchPlan, retrieved: Retrieved): readonly Candidate[] {
  const context: RankContext = { plan, ...retrieved };
  let candidates: readonly Candidate[] = [];
  for (const stage of STAGES) candidates = stage.run(candidates, context);
  return candidates;
}
