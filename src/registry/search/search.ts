import type { Embedder, EmbedderState } from '../../embedders/embedder.ts';
import type { Index } from '../../engines/index-port.ts';
import type { Store, StoredEntity } from '../../engines/store.ts';
import { LOW_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import type { SearchResponse } from '../../model/answer/result.ts';
import { ENTITY_TYPES, type EntityId, entityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseProjection } from '../../model/parse/projection.ts';
import { parseSearchRequest } from '../../model/query/parse-search-request.ts';
import { LAST_RESULT, MAX_RESULTS, type SearchRequestInput } from '../../model/query/query.ts';
import { isPureIdentifier } from '../../search/identifier/adr-003.ts';
import { hasOnlyCodes, type QueryClassification } from '../../search/identifier/classify-query.ts';
import {
  planSearch,
  type QueryVector,
  retrieveQuery,
  type SearchPlan,
  withoutVectorLeg,
} from '../../search/plan/plan.ts';
import { getPreset } from '../../search/plan/presets.ts';
import type { Candidate } from '../../search/ranking/candidates/candidate.ts';
import { type GraphLinks, nodesIn } from '../../search/ranking/candidates/graph-links.ts';
import { fuse } from '../../search/ranking/fuse.ts';
import { choose, matchingKeys, rank } from '../../search/ranking/rank.ts';
import { textsOf } from '../../search/ranking/tool-choice.ts';
import type { Retrieved } from '../../search/retrieval/retrieval.ts';
import { SearchSteps, type TimedSearch } from '../contract/search-steps.ts';
import type { GraphView } from '../graph/graph-view.ts';
import { nodesOfPage, prerequisitesOf } from '../graph/prerequisites.ts';
import type { Drifted } from '../notes/drift.ts';
import type { Instructions } from '../notes/instruction-note.ts';
import type { Liveness } from '../notes/liveness.ts';
import { buildAnswer } from './answer.ts';
import type { DeniedTools } from './denied-tools.ts';
import { embedQuery, embedTexts, givenVector, NOT_COMPARED } from './embed-query.ts';
import { classificationOf, queryEvidence } from './query-evidence.ts';
import { type Reranking, readTools, type ToolReadings } from './read-tools.ts';
import { scoreLines } from './score-lines.ts';
import { whyNot } from './why-not.ts';
import { withSuccessors } from './with-successors.ts';

export interface SearchParts {
  readonly store: Store;
  readonly index: Index;
  /** Reader keys of the caller. Undefined: no restriction. */
  readonly readers: readonly string[] | undefined;
  /** null: this registry has no vector leg. */
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
  readonly liveness: { read(): Promise<Liveness> };
  readonly graph: Pick<GraphView, 'between' | 'around'>;
  readonly now: () => number;
  readonly drift: { read(): Promise<Drifted> };
  readonly instructions: { read(): Promise<Instructions> };
  readonly denied: { read(): Promise<DeniedTools> };
  /** See the setting `withhold_drifted`. */
  readonly withholdDrifted: boolean;
  /** The ranking of a request that names none. */
  readonly defaultPreset: string;
  /** See the setting `vector_search_ef_search`. */
  readonly efSearch: number;
  /** null: the first tools are not read. */
  readonly reranking: Reranking | null;
  /** Called after each search that was answered. */
  readonly onSearched: (timed: TimedSearch) => void;
}

/**
 * The one way a question is answered, whatever surface it came from: parse, plan, embed, retrieve, rank, answer. The index
 * is asked once and the store once; only a query with an unknown hashtag or of unknown codes is retrieved a second time, one
 * whose page ends early because what the legs found first does not match, and one without a match among the types it names.
 */
export async function search(parts: SearchParts, input: SearchRequestInput): Promise<SearchResponse> {
  const steps = new SearchSteps();
  const request = parseSearchRequest(input);
  const projection = parseProjection(request.metadata_fields);
  const drifted = await parts.drift.read();
  const changed = request.drifted ? [...drifted.keys()] : undefined;
  const onlyEntities = request.paths === undefined ? changed : entitiesAt(request.paths, changed);
  const { units: withoutUnits } = await parts.denied.read();
  const isWithheld = parts.withholdDrifted && !request.drifted && drifted.size > 0;
  const withoutEntities = isWithheld ? [...drifted.keys()] : undefined;
  const { readers, defaultPreset } = parts;
  const { choosesTools } = getPreset(request.preset ?? defaultPreset);
  const names = choosesTools ? await parts.index.names(readers === undefined ? {} : { readers }) : undefined;
  const facts = { readers, defaultPreset, onlyEntities, withoutEntities, withoutUnits, names };

  let planned: Parameters<typeof planSearch>[1] = facts;
  let asked = await ask(parts, planSearch(request, planned), steps);
  const { unknownTags } = asked.retrieved.evidence;
  if (unknownTags.length > 0) {
    planned = { ...facts, unknownTags: new Set(unknownTags) };
    asked = await ask(parts, planSearch(request, planned), steps);
  }
  const askOnly = async (ids: readonly EntityId[]) => {
    // An entity that is asked alone is found, however small the page is.
    const whole = { ...request, max_results: MAX_RESULTS };
    return (await ask(parts, planSearch(whole, { ...planned, onlyEntities: ids }), steps)).retrieved;
  };
  const liveness = await parts.liveness.read();
  const ranking = { askOnly, dead: liveness.dead, steps };
  let answered = await rankAsked(parts, asked, ranking);
  if (answered.ranked.isCutShort) {
    const { read } = answered;
    asked = await askDeeper(parts, asked, steps);
    // The first results stay the first ones, so they need not be read again.
    answered = await rankAsked(parts, asked, { ...ranking, read });
  }
  if (answered.ranked.noMatch && request.entity_types !== null && request.min_confidence === undefined) {
    const whole = await ask(parts, planSearch({ ...request, entity_types: null }, planned), steps);
    const { read } = answered;
    // Which of them match does not depend on their order.
    const matching = matchingKeys((await rankAsked({ ...parts, reranking: null }, whole, ranking)).ranked);
    if (matching.size > 0) answered = await rankAsked(parts, asked, { ...ranking, matching, read });
  }
  const { plan, classification, failure, needsModel } = asked;
  const { retrieved, ranked, warnings } = answered;
  const isWhole = retrieved.evidence.missingVectors === 0;
  const shown = ranked.noMatch ? ranked.nearest : ranked.page;
  const answer = buildAnswer({
    plan,
    mode: retrieved.vector === null && needsModel ? 'lexical-only' : 'hybrid',
    queryClass: classification.class,
    ranked,
    entities: await entitiesOf(parts.store, shown),
    projection,
    liveness: liveness.states,
    drifted,
    instructions: await parts.instructions.read(),
    warnings: warningsOf(parts, asked, failure, warnings),
  });
  if (request.why_not !== undefined) {
    answer.why_not = await whyNot({ store: parts.store, plan, retrieved, ranked, askOnly }, request.why_not);
  }
  const whole = request.with_prerequisites ? await withPrerequisites(parts, plan, ranked.page, answer) : answer;
  steps.end('answer');
  parts.onSearched({
    preset: plan.preset.name,
    mode: answer.search_mode,
    steps: steps.list,
    text: plan.text,
    size: request.max_results,
    outcome: outcomeOf(answer, plan),
    isComplete: warnings.length === 0 && (parts.embedder === null || (isWhole && failure === undefined)),
    scoreLines: () => scoreLines(plan, retrieved, ranked),
  });
  return whole;
}

/** The entities of every type at these paths, among those of `within`. */
function entitiesAt(paths: readonly string[], within: readonly EntityId[] | undefined): readonly EntityId[] {
  const ids = paths.flatMap((path) => ENTITY_TYPES.map((type) => entityId(type, path)));
  if (within === undefined) return ids;
  const wanted = new Set(within);
  return ids.filter((id) => wanted.has(id));
}

function outcomeOf({ no_match, results }: SearchResponse, { text }: SearchPlan): TimedSearch['outcome'] {
  if (no_match) return 'no_match';
  const isLow = text !== '' && results.length > 0 && results[0]!.confidence < LOW_CONFIDENCE;
  return isLow ? 'low_confidence' : 'found';
}

interface RankOptions {
  readonly askOnly: (ids: readonly EntityId[]) => Promise<Retrieved>;
  readonly dead: Liveness['dead'];
  readonly steps: SearchSteps;
  /** See `RankInput`. */
  readonly matching?: ReadonlySet<string>;
  /** Of the same results, if they have been read. */
  readonly read?: ToolReadings;
}

/** Reads what the ranking needs besides what was retrieved, and ranks. */
async function rankAsked(parts: SearchParts, asked: Asked, options: RankOptions) {
  const { askOnly, dead, steps, matching } = options;
  const { plan, classification, vector } = asked;
  const { retrieved, successors } = await withSuccessors({ store: parts.store, askOnly }, plan.filter, asked.retrieved);
  const { links, warning } = await linksFor(parts, plan, retrieved);
  steps.end('graph');
  const evidence = queryEvidence(plan, retrieved, vector !== null);
  const input = { retrieved, classification, evidence, dead, links, successors, matching };
  const fused = fuse(plan, input);
  const texts = vector === null ? [] : textsOf(fused.choices);
  if (texts.length > 0) steps.end('rank');
  const vectors = await embedTexts(parts, texts);
  if (texts.length > 0) steps.end('embed');
  const compared = vectors ?? undefined;
  const read = options.read ?? (await readTools(parts, plan, choose(plan, input, fused, compared)));
  const ranked = rank(plan, input, fused, { vectors: compared, readings: read.readings });
  steps.end('rank');
  const failures = [vectors === null ? NOT_COMPARED : null, read.warning];
  const warnings = [warning, ...failures].filter((text) => text !== null);
  return { retrieved, ranked, read, warnings };
}

async function withPrerequisites(
  parts: SearchParts,
  { filter }: SearchPlan,
  page: readonly Candidate[],
  answer: SearchResponse,
): Promise<SearchResponse> {
  const { group, warning } = await prerequisitesOf(parts, nodesOfPage(page), filter.statuses);
  const isSaid = warning === null || answer.warnings.includes(warning);
  return { ...answer, prerequisites: group, warnings: isSaid ? answer.warnings : [...answer.warnings, warning] };
}

/** The edges between the results, if the preset uses them. A search never fails because a graph does. */
async function linksFor(
  parts: SearchParts,
  { preset }: SearchPlan,
  retrieved: Retrieved,
): Promise<{ readonly links: GraphLinks | null; readonly warning: string | null }> {
  if (preset.graph === 'none') return { links: null, warning: null };
  const { around, warning } = await parts.graph.between(nodesIn(retrieved), parts);
  return { links: { now: parts.now(), around }, warning };
}

interface Asked {
  readonly plan: SearchPlan;
  readonly retrieved: Retrieved;
  readonly classification: QueryClassification;
  /** The vector of the query; null without a vector leg. */
  readonly vector: QueryVector | null;
  /** Whether the preset and the query want a vector leg. */
  readonly needsModel: boolean;
  /** Why the query has no vector though it needs one. */
  readonly failure: string | undefined;
}

/** Embeds the query, unless nothing but codes is asked that the index knows, and retrieves. */
async function ask(parts: SearchParts, plan: SearchPlan, steps: SearchSteps): Promise<Asked> {
  const { preset, text } = plan;
  steps.end('plan');
  const wantsModel = text !== '' && !(preset.skipsModel === 'pattern' && isPureIdentifier(text));
  if (!wantsModel || (preset.skipsModel === 'index' && plan.meanings === null && hasOnlyCodes(plan.anchors))) {
    const lexical = withoutVectorLeg(plan);
    const retrieved = await parts.index.retrieve(retrieveQuery(lexical, null));
    steps.end('retrieve');
    const classification = classificationOf(plan, retrieved.evidence);
    // With an unknown tag nothing was retrieved: the caller asks again with other text.
    const isRefused = retrieved.evidence.unknownTags.length > 0;
    if (!wantsModel || isRefused || classification.needsNoVector) {
      return { plan: lexical, retrieved, classification, vector: null, needsModel: false, failure: undefined };
    }
  }
  const { vector, failure } = await embedQuery(parts, plan);
  steps.end('embed');
  const used = vector === null ? withoutVectorLeg(plan) : plan;
  let retrieved: Retrieved;
  try {
    retrieved = await parts.index.retrieve(retrieveQuery(used, vector));
  } catch (error) {
    if (vector === null || !(error instanceof DowserError) || error.code !== 'VECTORS_UNAVAILABLE') throw error;
    const answer = await askByKeyword(parts, plan, error);
    steps.end('retrieve');
    return answer;
  }
  steps.end('retrieve');
  const classification = classificationOf(plan, retrieved.evidence);
  // An empty registry has no vectors either, but nothing is missing from its answer.
  const { vectors, units } = retrieved.evidence;
  const hasVectors = vector !== null && (vectors > 0 || units === 0);
  return {
    plan: hasVectors || vector === null ? used : withoutVectorLeg(plan),
    retrieved: hasVectors || vector === null ? retrieved : { ...retrieved, vector: null },
    classification,
    vector: hasVectors ? vector : null,
    needsModel: true,
    failure,
  };
}

/** Asks the same for everything that a page can show. */
async function askDeeper(parts: SearchParts, asked: Asked, steps: SearchSteps): Promise<Asked> {
  const plan = { ...asked.plan, end: LAST_RESULT };
  try {
    const retrieved = await parts.index.retrieve(retrieveQuery(plan, asked.vector));
    return { ...asked, plan, retrieved };
  } catch (error) {
    // The first answer is a good one, if short.
    if (error instanceof DowserError && error.code === 'VECTORS_UNAVAILABLE') return asked;
    throw error;
  } finally {
    steps.end('retrieve');
  }
}

/** A search never fails because the vector server does. */
async function askByKeyword(parts: SearchParts, plan: SearchPlan, { code, message }: DowserError): Promise<Asked> {
  const lexical = withoutVectorLeg(plan);
  const retrieved = await parts.index.retrieve(retrieveQuery(lexical, null));
  const classification = classificationOf(plan, retrieved.evidence);
  const failure = `The vector server is not available (${code}: ${message}); results are by keyword only.`;
  return { plan: lexical, retrieved, classification, vector: null, needsModel: true, failure };
}

async function entitiesOf(store: Store, shown: readonly Candidate[]): Promise<ReadonlyMap<EntityId, StoredEntity>> {
  const ids = new Set<EntityId>();
  for (const { entity } of shown) ids.add(entity);
  const entities = new Map<EntityId, StoredEntity>();
  for (const stored of await store.getMany([...ids])) entities.set(stored.id, stored);
  return entities;
}

function warningsOf(
  { embedder, embedderState }: SearchParts,
  asked: Asked,
  failure: string | undefined,
  others: readonly string[],
): string[] {
  const { plan, needsModel, retrieved } = asked;
  const { entities, vectors, missingVectors } = retrieved.evidence;
  const warnings = [...others];
  if (entities === 0) {
    const { collections } = plan.filter;
    if (collections === undefined) warnings.push('The registry is empty: there is nothing to find yet.');
    else if (collections.length > 0) warnings.push(`No documents yet in ${collections.join(', ')}.`);
  }
  const isVectorSearch = needsModel && (plan.preset.vector !== null || retrieved.vector === null);
  if (isVectorSearch && embedder !== null && missingVectors > 0) {
    const { error } = embedderState();
    const reason = error === undefined ? '' : ` The model is down: ${error}`;
    warnings.push(
      vectors === 0
        ? `No unit has a vector yet; results are by keyword only.${reason}`
        : `Units without a vector: ${missingVectors} of ${vectors + missingVectors}; these are found by keyword only.${reason}`,
    );
    if (vectors === 0) return warnings;
  }
  // A model that failed has taken the vector leg out of the plan.
  const given = needsModel && getPreset(plan.preset.name).vector !== null ? givenVector(embedder, plan) : null;
  if (given !== null && 'why' in given) warnings.push(`'query_vector' is not used: ${given.why}.`);
  if (failure !== undefined) warnings.push(failure);
  return warnings;
}
