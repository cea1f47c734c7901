import { CONCEPTUAL, classifyQuery, type QueryClassification } from '../../search/identifier/classify-query.ts';
import type { SearchPlan } from '../../search/plan/plan.ts';
import { MAX_WHOLE_CHARS } from '../../search/plan/query-parts.ts';
import { calibratedCosine, cosineFloor, type QueryEvidence } from '../../search/ranking/calibrate/confidence.ts';
import { type Evidence, type Retrieved, withPart } from '../../search/retrieval/retrieval.ts';

/** ADR-003's option C takes every anchor it sees; the default asks the index which of them name something. */
export function classificationOf(plan: SearchPlan, { holders, units }: Evidence): QueryClassification {
  if (plan.preset.anchors !== 'factor') return classifyQuery(holders, plan.anchors.length, units);
  const anchors = holders.filter(({ anchor, count }) => anchor.kind !== 'word' && count > 0);
  return anchors.length === 0 ? CONCEPTUAL : { class: 'mixed', anchors, needsNoVector: false };
}

/** The facts that the confidence of an answer is estimated from. */
export function queryEvidence(
  { text, parts }: SearchPlan,
  { keyword, vector, evidence }: Retrieved,
  hasVector: boolean,
): QueryEvidence {
  const { ceiling, terms, units, meanVector, meanCount } = evidence;
  const floor = cosineFloor(meanVector, meanCount);
  const best = vector?.[0]?.vector;
  const cosines = typeof best !== 'number' || !hasVector ? null : { best: calibratedCosine(best, floor), floor };
  return {
    // With parts, a unit scores for the whole and for a part.
    ceiling: parts.length === 0 ? ceiling : withPart.keyword(ceiling, ceiling),
    bestKeyword: keyword[0]?.keyword ?? 0,
    terms,
    // Reads a text, so only where it counts.
    adjacent: cosines === null ? (keyword[0]?.adjacentWords() ?? 0) : 0,
    units,
    cosines,
    isLong: text.length > MAX_WHOLE_CHARS,
  };
}
