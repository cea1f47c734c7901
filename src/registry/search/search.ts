import type { Embedder, EmbedderState } from '../../embedders/embedder.ts';
import type { Engine, EngineStats, Inspection, ShownEntity } from '../../engines/engine.ts';
import type { EntityId } from '../../model/entity.ts';
import { toDowserError } from '../../model/errors.ts';
import type { Filter } from '../../model/filter.ts';
import { parseSearchRequest } from '../../model/parse-search-request.ts';
import { parseProjection } from '../../model/projection.ts';
import type { SearchRequestInput } from '../../model/query.ts';
import type { SearchResponse } from '../../model/result.ts';
import { isPureIdentifier } from '../../search/identifier/adr-003.ts';
import { CONCEPTUAL, type QueryReading, readQuery, telling } from '../../search/identifier/read-query.ts';
import { hashtagsInQuery, planSearch, type SearchPlan, type SearchScope, withoutVectorLeg } from '../../search/plan.ts';
import type { Candidate } from '../../search/ranking/candidate.ts';
import { rank } from '../../search/ranking/rank.ts';
import type { UnitRef } from '../../search/ranking/ranked-list.ts';
import type { Liveness } from '../provenance/liveness.ts';
import { ANNOTATIONS } from '../provenance/source-note.ts';
import { buildAnswer } from './answer.ts';
import { countFacets } from './facets.ts';
import { retrieve } from './retrieve.ts';
import { type ShownUnit, shownUnit } from './shown-unit.ts';
import { unitSharesOf } from './unit-shares.ts';

export interface SearchParts {
  readonly engine: Engine;
  /** null: this registry has no vector leg. */
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
  readonly liveness: { read(): Promise<Liveness> };
  /** The ranking of a request that names none. */
  readonly defaultPreset: string;
  /** See the setting `vector_search_ef_search`. */
  readonly efSearch: number;
}

/** Holders of an anchor that are looked at: more name nothing. */
const MAX_HOLDERS = 20;

/** The one way a question is answered, whatever surface it came from. */
export async function search(
  parts: SearchParts,
  input: SearchRequestInput,
  scope: SearchScope = {},
): Promise<SearchResponse> {
  const { engine } = parts;
  const request = parseSearchRequest(input);
  const projection = parseProjection(request.metadata_fields);
  const { defaultPreset } = parts;
  const doubtful = hashtagsInQuery(request, defaultPreset);
  const unknownTags = doubtful.length === 0 ? undefined : await unknownTagsOf(engine, doubtful);
  const planned = planSearch(request, { readers: scope.readers, unknownTags, defaultPreset });
  const asked = request.drifted ? { ...planned, filter: await onlyDrifted(engine, planned.filter) } : planned;
  const stats = await engine.stats(parts.embedder?.id);
  const warnings: string[] = [];
  if (stats.entities === 0) warnings.push('The registry is empty: there is nothing to find yet.');

  const { text, anchors, filter } = asked;
  const inspection = await engine.inspect({ text, anchors: telling(anchors), filter, limit: MAX_HOLDERS });
  const reading = readingOf(asked, inspection, stats.units);
  const needsModel = !skipsModel(asked, reading);
  const queryVector = needsModel ? await embedQuery(parts, asked, stats, warnings) : null;
  const plan = queryVector === null ? withoutVectorLeg(asked) : asked;
  const liveness = await parts.liveness.read();
  const facts = {
    stats,
    inspection,
    reading,
    dead: liveness.dead,
    efSearch: parts.efSearch,
    embedder: parts.embedder?.id,
  };
  const retrieved = await retrieve(engine, plan, queryVector, facts);
  const ranked = rank(plan, retrieved);
  const shown = ranked.noMatch ? ranked.nearest : ranked.page;
  const entities = await entitiesOf(engine, shown);
  const unitShares = unitSharesOf(plan, retrieved, entities);
  const units: ShownUnit[] = [];
  const refs: UnitRef[] = [];
  for (const candidate of shown) {
    const unit = shownUnit(candidate, unitShares);
    units.push(unit);
    refs.push(unit.ref);
  }
  return buildAnswer({
    plan,
    mode: retrieved.vector === null && needsModel ? 'lexical-only' : 'hybrid',
    queryClass: reading.class,
    ranked,
    units,
    fields: text === '' ? new Map() : await engine.matchedFields(text, refs),
    facets: request.facets === undefined ? undefined : await countFacets(engine, ranked.matched, request.facets),
    entities,
    projection,
    unitShares,
    liveness: liveness.states,
    warnings,
  });
}

async function entitiesOf(engine: Engine, shown: readonly Candidate[]): Promise<ReadonlyMap<EntityId, ShownEntity>> {
  const ids = new Set<EntityId>();
  for (const { entity } of shown) ids.add(entity);
  const entities = new Map<EntityId, ShownEntity>();
  for (const entity of await engine.getShown([...ids])) entities.set(entity.id, entity);
  return entities;
}

async function onlyDrifted(engine: Engine, filter: Filter): Promise<Filter> {
  return { ...filter, entities: [...(await engine.annotated(ANNOTATIONS.drift)).keys()] };
}

/** The words behind a `#` in the query that are nobody's tag. */
async function unknownTagsOf(engine: Engine, doubtful: readonly string[]): Promise<ReadonlySet<string>> {
  const known = await engine.hasTags(doubtful);
  return new Set(doubtful.filter((_, i) => known[i] === false));
}

/** ADR-003's option C takes every anchor it sees; the default asks the index which of them name something. */
function readingOf(plan: SearchPlan, { holders }: Inspection, indexSize: number): QueryReading {
  if (plan.preset.anchors !== 'factor') return readQuery(holders, plan.anchors.length, indexSize);
  const anchors = holders.filter(({ anchor, count }) => anchor.kind !== 'word' && count > 0);
  return anchors.length === 0 ? CONCEPTUAL : { class: 'mixed', anchors, needsNoVector: false };
}

function skipsModel({ preset, text }: SearchPlan, { needsNoVector }: QueryReading): boolean {
  // Tags alone are a filter.
  if (text === '') return true;
  if (preset.skipsModel === 'pattern') return isPureIdentifier(text);
  return preset.skipsModel === 'index' && needsNoVector;
}

/** The query's vector, or null with the reason among the warnings: a search never fails because a model does. */
async function embedQuery(
  { embedder, embedderState }: SearchParts,
  plan: SearchPlan,
  { vectors, missingVectors }: EngineStats,
  warnings: string[],
): Promise<Float32Array | null> {
  if (plan.preset.vector === null) return null;
  if (embedder === null) {
    warnings.push('No embedding model is configured; results are by keyword only.');
    return null;
  }
  if (missingVectors > 0) {
    const { error } = embedderState();
    const reason = error === undefined ? '' : ` The model is down: ${error}`;
    warnings.push(
      vectors === 0
        ? `No unit has a vector yet; results are by keyword only.${reason}`
        : `Units without a vector yet: ${missingVectors} of ${vectors + missingVectors}; these are found by keyword only.${reason}`,
    );
  }
  if (vectors === 0) return null;
  try {
    const [vector] = await embedder.embed([plan.text], { as: 'query' });
    return vector ?? null;
  } catch (thrown) {
    const { code, message } = toDowserError(thrown);
    warnings.push(`The embedding model is not available (${code}: ${message}); results are by keyword only.`);
    return null;
  }
}
