import type { Store } from '../../engines/store.ts';
import type { SearchResponse } from '../../model/answer/result.ts';
import type { EntityType } from '../../model/entity.ts';
import {
  FACETS,
  type Facet,
  type FacetFilter,
  facetKeysOf,
  facetsOf,
  foldFacet,
  hasFacet,
} from '../../model/entity-parts/facets.ts';
import { typesOfRole } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import type { SearchRequestInput } from '../../model/query/query.ts';
import { MAX_QUESTIONS, questionsFor } from '../../recommend/clarification.ts';
import { RELAXATION_ORDER, type RelaxedFilter, relaxations } from '../../recommend/relaxation.ts';
import { bestFitFirst, optionCount } from '../../recommend/selection.ts';
import type { Sessions } from '../../recommend/sessions.ts';
import type { RecommendOperations } from '../contract/recommend-operations.ts';
import { type Recommendation, recommendRequestSchema, respondRequestSchema } from '../contract/recommend-schemas.ts';
import type { GraphView } from '../graph/graph-view.ts';
import { scanRecords } from '../view/scan-records.ts';
import { optionPrerequisites } from './option-prerequisites.ts';
import type { FoundOption } from './options.ts';
import { type OptionParts, optionsOf } from './options.ts';
import { type OutcomeParts, reportOutcome } from './report-outcome.ts';
import { stackOperations } from './stack.ts';

interface MaintainedOptions extends RelaxedFilter {
  readonly found: readonly FoundOption[];
}

/** A question that was asked, to go on from. Losing one costs the caller one more question. */
export interface RecommendSession {
  readonly request: Asked;
  readonly where: FacetFilter;
  readonly asked: readonly Facet[];
  /** Paths that were recommended, for reports. */
  readonly options: readonly string[];
}
type Asked = ReturnType<typeof recommendRequestSchema.parse>;

export interface RecommendParts extends OutcomeParts {
  readonly store: Store;
  readonly graph: Pick<GraphView, 'around'>;
  readonly readers: readonly string[] | undefined;
  readonly now: () => number;
  readonly search: (request: SearchRequestInput) => Promise<SearchResponse>;
  readonly sessions: Sessions<RecommendSession>;
  /** An id that cannot be guessed. */
  readonly newId: () => string;
  /** Sessions of one caller are unknown to another. */
  readonly callerKey: string;
}

/** As many as ToolPilot passes on from stage 2. */
const MAX_CANDIDATES = 15;
const MAX_ALTERNATIVES = 4;
/** A result below this share of the best score is no choice. */
const MIN_SHARE = 0.5;
const TYPES = [...typesOfRole('capability'), ...typesOfRole('reference')];

export function recommendOperations(parts: RecommendParts): RecommendOperations {
  const choose: RecommendOperations['recommend'] = async (input) => {
    const request = parseWith(recommendRequestSchema, input, 'recommendation request');
    const where = request.context ?? {};
    const isGiven = FACETS.some((facet) => where[facet] !== undefined);
    return recommend(parts, { request, where, asked: isGiven ? FACETS : [], options: [] }, parts.newId());
  };
  return {
    recommend: choose,
    ...stackOperations({ ...parts, recommend: choose }),
    reportOutcome: (input) => reportOutcome(parts, input),
    recommendRespond: async (input) => {
      const { query_id, answers, done } = parseWith(respondRequestSchema, input, 'answers');
      const session = parts.sessions.get(sessionKey(parts, query_id), parts.now());
      if (session === undefined) throw unknownSession(query_id);
      const where = withAnswers(session.where, Array.isArray(answers) ? answers : pairsOf(answers));
      return recommend(parts, { ...session, where, asked: done ? FACETS : session.asked }, query_id);
    },
  };
}

export const sessionKey = ({ callerKey }: Pick<RecommendParts, 'callerKey'>, id: string) => `${callerKey} ${id}`;

export function unknownSession(id: string): DowserError {
  return new DowserError('NOT_FOUND', `There is no session ${showValue(id)}, or it has expired.`, {
    field: 'query_id',
    hint: 'Ask for a recommendation again, with what you know in context.',
  });
}

const pairsOf = (answers: Readonly<Record<string, string>>) =>
  Object.entries(answers).map(([dimension, value]) => ({ dimension, value }));

/** An answer may be given once more, but not changed: a changed mind is a new question. */
function withAnswers(
  where: FacetFilter,
  answers: readonly { readonly dimension: string; readonly value: string }[],
): FacetFilter {
  const known: { [F in Facet]?: string | undefined } = { ...where };
  for (const { dimension, value } of answers) {
    const facet = FACETS.find((one) => one === dimension);
    if (facet === undefined) {
      throw new DowserError('INVALID_REQUEST', `There is no facet ${showValue(dimension)}.`, {
        field: 'answers',
        hint: `Use one of ${FACETS.join(', ')}.`,
        details: { allowed: FACETS },
      });
    }
    const before = known[facet];
    if (before !== undefined && foldFacet(before) !== foldFacet(value)) {
      throw new DowserError(
        'INVALID_REQUEST',
        `'${facet}' is both ${showValue(before)} and ${showValue(value)}: the answers contradict each other.`,
        { field: 'answers', hint: 'Give one answer for each facet. To change one, ask for a new recommendation.' },
      );
    }
    known[facet] = value;
  }
  return known;
}

async function recommend(parts: RecommendParts, session: RecommendSession, id: string): Promise<Recommendation> {
  const { request, where } = session;
  const tries = relaxations(where, request.relax ?? RELAXATION_ORDER);
  const { answer, isEmpty, ...narrowed } = await narrow(parts, request, tries);
  const {
    found,
    relaxed,
    where: applied,
  } = isEmpty
    ? await bestMaintained(parts, request.entity_types ?? TYPES, tries, MAX_CANDIDATES)
    : { found: answer.results, ...narrowed };
  const best = found[0]?.relevance_score ?? 0;
  const near = isEmpty ? found : found.filter(({ relevance_score }) => relevance_score >= best * MIN_SHARE);
  const fitting = request.preset === 'recommend-legacy' ? near : bestFitFirst(near);
  const { options, counts, warning } = await optionsOf(parts satisfies OptionParts, fitting, applied);
  const ranked = options.map(({ fit_score, stability }) => ({ score: fit_score, stability }));
  const count = optionCount(ranked);
  const recommendations = options.slice(0, count);
  const alternatives = options.slice(count, count + MAX_ALTERNATIVES);
  const completed = await optionPrerequisites(parts, answer, recommendations, alternatives);
  const left = Math.max(0, MAX_QUESTIONS - session.asked.length);
  const known = { where, asked: session.asked, query: request.query };
  const questions = questionsFor(counts, options.length, known, Math.min(left, request.max_questions));
  const asked = [...session.asked, ...questions.map(({ dimension }) => dimension)];
  const paths = options.map(({ path }) => path);
  parts.sessions.put(sessionKey(parts, id), { request, where, asked, options: paths }, parts.now());
  const fallback = isEmpty && found.length > 0 ? ['Nothing was found: these are the best maintained entities.'] : [];
  const lost = [warning, completed.warning, languageWarning(applied, options.length)].filter((one) => one !== null);
  return {
    query_id: id,
    query: answer.query,
    status: questions.length === 0 ? 'complete' : 'clarification_needed',
    preset: request.preset,
    is_two_option: count === 2,
    recommendations,
    alternatives,
    questions: [...questions],
    candidate_count: options.length,
    relaxed: [...relaxed],
    no_match: answer.results.length === 0,
    prerequisites: completed.group,
    warnings: [...new Set([...answer.warnings, ...fallback, ...lost])],
  };
}

/** Nothing is left of a language that was kept: a client may ask for any other. */
function languageWarning({ language }: FacetFilter, options: number): string | null {
  if (language === undefined || options > 0) return null;
  return `Nothing matches in the language ${showValue(language)}. Leave it out, or name it in 'relax', to find others.`;
}

/** Searches with all facets, then with fewer, until something matches. `isEmpty`: nothing was found at all. */
async function narrow(parts: RecommendParts, request: Asked, tries: readonly RelaxedFilter[]) {
  for (const [at, { where, relaxed }] of tries.entries()) {
    const answer = await parts.search({
      query: request.query,
      preset: request.preset,
      entity_types: [...(request.entity_types ?? TYPES)],
      max_results: MAX_CANDIDATES,
      soft_cap: 1,
      where,
    });
    if (answer.results.length > 0 || at === tries.length - 1) {
      const isEmpty = answer.results.length === 0 && (answer.nearest ?? []).length === 0;
      return { answer, relaxed, where, isEmpty };
    }
  }
  throw new Error('There is always a filter to try.');
}

/**
 * When a query finds nothing at all: entities in use by their maintenance, best first, then by path. Facets hold here too:
 * `tries` are dropped in their order until something is left.
 */
async function bestMaintained(
  { store }: { readonly store: Store },
  types: readonly EntityType[],
  tries: readonly RelaxedFilter[],
  limit: number,
): Promise<MaintainedOptions> {
  const kept: { readonly option: FoundOption; readonly facets: readonly string[] }[] = [];
  for await (const { entity } of scanRecords(store, types)) {
    const { type: entity_type, path, name, description, health, status, is_enabled } = entity;
    const relevance_score = health?.maintenance ?? 0;
    const isInUse = is_enabled && (status === 'active' || status === 'beta');
    if (relevance_score === 0 || !isInUse) continue;
    const option = { entity_type, path, name, description, relevance_score, confidence: 0, matched_fields: [] };
    kept.push({ option, facets: facetsOf(entity) });
  }
  const ranked = kept.sort(
    ({ option: a }, { option: b }) => b.relevance_score - a.relevance_score || (a.path < b.path ? -1 : 1),
  );
  const meeting = (where: FacetFilter) => {
    const wanted = facetKeysOf(where);
    return ranked.filter(({ facets }) => wanted.every((key) => hasFacet(facets, key)));
  };
  for (const [at, { where, relaxed }] of tries.entries()) {
    const found = meeting(where);
    if (found.length > 0 || at === tries.length - 1) {
      return { where, relaxed, found: found.slice(0, limit).map(({ option }) => option) };
    }
  }
  throw new Error('There is always a filter to try.');
}
