import { MIN_SHOWN_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import { LAST_RESULT } from '../../model/query/query.ts';
import type { QueryClassification } from '../identifier/classify-query.ts';
import type { SearchPlan } from '../plan/plan.ts';
import { MAX_WHOLE_CHARS } from '../plan/query-parts.ts';
import type { Retrieved } from '../retrieval/retrieval.ts';
import type { Confidence, QueryEvidence } from './calibrate/confidence.ts';
import { roundScore } from './calibrate/normalize-scores.ts';
import { type Candidate, type ScoredUnit, withBest } from './candidates/candidate.ts';
import { heldAnchors } from './promote-candidates.ts';

/** A query without keyword matches needs at least this best cosine, or a small catalog where less is clear enough. */
const MIN_COSINE = 0.4;
const MIN_WITHOUT_WORDS = 0.432;

/** A result with this share of the best keyword score matches, whatever its confidence. */
const MIN_KEYWORD_SHARE = 0.5;

/** A result with less confidence is only in the list because something must be the nearest. */
const MIN_RESULT_CONFIDENCE = 0.002;
/** The same for everything else where the query only names something: its text has the name, and hardly more to do with it. */
const MIN_BESIDE_NAMED = MIN_SHOWN_CONFIDENCE;

export interface MatchContext {
  readonly plan: SearchPlan;
  readonly retrieved: Retrieved;
  readonly classification: QueryClassification;
  readonly evidence: QueryEvidence;
  /** The keys of candidates whose name is exactly the query. */
  readonly named: ReadonlySet<string>;
  /** See `RankInput`. */
  readonly matching?: ReadonlySet<string> | undefined;
}

export interface Estimates extends Confidence {
  /** The confidence that the answer shows. */
  readonly confidence: (candidate: Candidate) => number;
}

export interface Matches {
  /** The candidates that match, in their order. */
  readonly matched: readonly Candidate[];
  /** Whether a deeper search may add matches to this page. */
  readonly isCutShort: boolean;
}

/** Selects the candidates that match. The same ones for every page: how deep the legs were searched does not matter. */
export function matchesOf(found: readonly Candidate[], context: MatchContext, estimates: Estimates): Matches {
  const line = lineOf(context, estimates);
  if (line === null) return { matched: found, isCutShort: false };
  const isDeeperOpen = couldMatchDeeper(context, line);
  const matched: Candidate[] = [];
  for (let at = 0; at < found.length; at++) {
    const candidate = found[at]!;
    if ((candidate.depth === 0 || isDeeperOpen) && line.isMatch(candidate, at)) matched.push(candidate);
  }
  return { matched, isCutShort: isDeeperOpen && leavesRoom(context.plan, found, matched) };
}

interface Line {
  /** Whether a candidate matches. `at` is its place among all that were found. */
  readonly isMatch: (candidate: Candidate, at: number) => boolean;
  /** Whether a unit with these scores could match if neither leg ranks it. */
  readonly couldMatch: (keyword: number | null, vector: number | null) => boolean;
}

/**
 * The minimum confidence of a request applies to each result. The minimum of a preset applies to the query: nothing matches
 * if the catalog probably does not answer it. If the index has an identifier of the query, the catalog answers it. Null:
 * everything matches.
 */
function lineOf(context: MatchContext, { answerable, of, unranked, confidence }: Estimates): Line | null {
  const { plan, classification, retrieved, evidence, named, matching } = context;
  const { preset, text, request } = plan;
  const minimum = request.min_confidence;
  if (minimum !== undefined) {
    return {
      isMatch: (candidate) => confidence(candidate) >= minimum,
      couldMatch: (keyword, vector) => roundScore(unranked(keyword, vector)) >= minimum,
    };
  }
  if (preset.minAnswerable === 0 || text === '') return null;
  const isFar = (evidence.cosines?.best ?? 0) < MIN_COSINE && answerable < MIN_WITHOUT_WORDS;
  const isUnknown = retrieved.keyword.length === 0 && isFar;
  // A long text says much besides what it needs, so no unit is near to all of it: its estimate is low, whatever the catalog has.
  const isLong = text.length > MAX_WHOLE_CHARS;
  const hasIdentifier = classification.anchors.length > 0;
  const isAnswerable = isLong || hasIdentifier || (answerable >= preset.minAnswerable && !isUnknown);
  // A rare word that is the name of nothing is in this class, too.
  const isNamed = named.size > 0 || classification.anchors.some(({ byIdentifier }) => byIdentifier);
  const onlyNames = classification.class === 'identifier' && isNamed;
  const floor = onlyNames ? MIN_BESIDE_NAMED : MIN_RESULT_CONFIDENCE;
  const hasWords = wordsLine(evidence);
  const held = heldAnchors(plan, classification.anchors);
  return {
    isMatch: (candidate, at) => {
      if (named.has(candidate.key) || held.has(candidate.key)) return true;
      if (matching !== undefined) return matching.has(candidate.key);
      if (!isAnswerable) return false;
      return at === 0 || hasWords(candidate.best.found.keyword) || of(candidate) >= floor;
    },
    couldMatch: (keyword, vector) => isAnswerable && (hasWords(keyword) || unranked(keyword, vector) >= floor),
  };
}

const wordsLine = ({ bestKeyword }: QueryEvidence) => {
  const line = MIN_KEYWORD_SHARE * bestKeyword;
  return (keyword: number | null) => keyword !== null && keyword >= line;
};

/**
 * Whether anything matches that the first units of the legs do not have. No later unit has higher scores than the last of
 * these, which are the same for every page.
 */
function couldMatchDeeper({ plan, retrieved }: MatchContext, { couldMatch }: Line): boolean {
  const { depth } = plan.preset;
  if (depth === null) return false;
  const keyword = retrieved.keyword[depth - 1]?.keyword ?? null;
  const vector = retrieved.vector?.[depth - 1]?.vector ?? null;
  if (keyword === null && vector === null) return false;
  return couldMatch(keyword, vector) || (retrieved.evidence.missingVectors > 0 && couldMatch(keyword, null));
}

/**
 * Whether the matches do not fill the page because others that were found do not match. The legs fetch enough for a page of
 * everything that they find, so the page ends too early if a deeper search finds more matches.
 */
function leavesRoom({ request, end }: SearchPlan, found: readonly Candidate[], matched: readonly Candidate[]): boolean {
  if (end >= LAST_RESULT || matched.length === found.length) return false;
  const countTo = (depth: number) =>
    matched.reduce((count, candidate) => count + (candidate.depth <= depth ? 1 : 0), 0);
  if (countTo(0) >= request.max_results) return false;
  const isMatched = new Set(matched);
  let depth = Number.POSITIVE_INFINITY;
  for (const candidate of found) if (!isMatched.has(candidate)) depth = Math.min(depth, candidate.depth);
  return countTo(depth) < request.max_results;
}

/** The line for one unit: a tool below it is not listed. If the query names something, a unit of anything else must also have its words. */
export function unitLine(
  { plan, evidence, named }: MatchContext,
  of: Confidence['of'],
): (candidate: Candidate, unit: ScoredUnit) => boolean {
  const minimum = plan.request.min_confidence ?? MIN_RESULT_CONFIDENCE;
  const hasWords = wordsLine(evidence);
  return (candidate, unit) => {
    const isWorded = hasWords(unit.found.keyword);
    if (named.size > 0 && !named.has(candidate.key)) {
      return isWorded && of(withBest(candidate, unit)) >= Math.max(minimum, MIN_BESIDE_NAMED);
    }
    if (plan.request.min_confidence === undefined && isWorded) return true;
    return of(withBest(candidate, unit)) >= minimum;
  };
}
