import type { Embedder } from '../embedders/embedder.ts';
import type { Engine, EngineStats, StoredEntity } from '../engines/engine.ts';
import type { EntityId, EntityType } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import type { Filter } from '../model/filter.ts';
import { parseWith } from '../model/parse.ts';
import { parseProjection } from '../model/projection.ts';
import { type SearchRequestInput, searchRequestSchema } from '../model/query.ts';
import type { SearchResponse } from '../model/result.ts';
import type { Retrieved } from '../search/fuse.ts';
import { planSearch, type SearchPlan } from '../search/plan.ts';
import { withoutVectors } from '../search/presets.ts';
import { rank } from '../search/rank.ts';
import { compareHits, type RankedList } from '../search/ranked-list.ts';
import { buildAnswer } from './answer.ts';

export interface SearchParts {
  readonly engine: Engine;
  /** null: this registry has no vector leg. */
  readonly embedder: Embedder | null;
}

/** The one way a question is answered, whatever surface it came from. */
export async function search(parts: SearchParts, input: SearchRequestInput): Promise<SearchResponse> {
  const request = parseWith(searchRequestSchema, input, 'search request');
  const projection = parseProjection(request.metadata_fields);
  const plan = planSearch(request);
  const stats = await parts.engine.stats();
  const warnings: string[] = [];

  const queryVector = await embedQuery(parts, plan, stats, warnings);
  const settled = queryVector === null ? { ...plan, preset: withoutVectors(plan.preset) } : plan;
  const [keyword, vector] = await Promise.all([
    searchKeyword(parts.engine, settled),
    queryVector === null ? null : searchVector(parts.engine, settled, queryVector, stats),
  ]);
  const retrieved: Retrieved = {
    keyword,
    vector,
    ...(await lookUpMissing(parts.engine, settled, keyword, vector, queryVector)),
    vectorCoverage: stats.vectors / Math.max(1, stats.vectors + stats.missingVectors),
  };
  const candidates = rank(settled, retrieved);
  const records = await parts.engine.getMany([...new Set(candidates.map((candidate) => candidate.entity))]);
  const stored = new Map<EntityId, StoredEntity>(records.map((record) => [record.id, record]));
  return buildAnswer({
    plan: settled,
    mode: vector === null ? 'lexical-only' : 'hybrid',
    candidates,
    stored,
    projection,
    toolShares: toolSharesOf(settled, retrieved),
    warnings,
  });
}

/** The query's vector, or null with the reason among the warnings: a search never fails because a model does. */
async function embedQuery(
  { embedder }: SearchParts,
  plan: SearchPlan,
  stats: EngineStats,
  warnings: string[],
): Promise<Float32Array | null> {
  if (plan.preset.vector === null) return null;
  if (embedder === null) {
    warnings.push('No embedding model is configured; results are by keyword only.');
    return null;
  }
  const { vectors, missingVectors } = stats;
  if (vectors === 0) {
    if (missingVectors > 0) warnings.push('No unit has a vector yet; results are by keyword only.');
    return null;
  }
  if (missingVectors > 0) {
    const all = vectors + missingVectors;
    warnings.push(`${missingVectors} of ${all} units have no vector yet; they are found by keyword only.`);
  }
  try {
    const [vector] = await embedder.embed([plan.text], { as: 'query' });
    return vector ?? null;
  } catch (error) {
    if (!(error instanceof DowserError)) throw error;
    warnings.push(`The embedding model is not available (${error.code}); results are by keyword only.`);
    return null;
  }
}

function searchKeyword(engine: Engine, plan: SearchPlan): Promise<RankedList> {
  const { keyword } = plan.preset;
  return engine.searchKeyword({
    text: plan.text,
    scorer: keyword.scorer,
    filter: withKinds(plan.filter, keyword.unitKinds),
    limit: keyword.limit(plan.request.max_results),
    explain: plan.request.explain,
  });
}

async function searchVector(
  engine: Engine,
  plan: SearchPlan,
  vector: Float32Array,
  stats: EngineStats,
): Promise<RankedList> {
  const settings = plan.preset.vector!;
  const filter = withKinds(plan.filter, settings.unitKinds);
  const limit = settings.limit(plan.request.max_results);
  if (!settings.perType) return engine.searchVector({ vector, filter, limit });
  const types = plan.filter.types ?? (Object.keys(stats.byType) as EntityType[]);
  const lists = await Promise.all(
    types.map((type) => engine.searchVector({ vector, filter: { ...filter, types: [type] }, limit })),
  );
  return lists.flat().sort(compareHits);
}

/** For a fusion by score: what each leg says of the units that only the other one found. */
async function lookUpMissing(
  engine: Engine,
  plan: SearchPlan,
  keyword: RankedList,
  vector: RankedList | null,
  queryVector: Float32Array | null,
): Promise<Pick<Retrieved, 'keywordLookedUp' | 'vectorLookedUp'>> {
  if (plan.preset.fusion !== 'blend' || vector === null || queryVector === null) {
    return { keywordLookedUp: [], vectorLookedUp: [] };
  }
  const { text, request } = plan;
  const byKeyword = new Set(keyword.map((hit) => hit.unit));
  const byVector = new Set(vector.map((hit) => hit.unit));
  const onlyVector = vector.map((hit) => hit.unit).filter((unit) => !byKeyword.has(unit));
  const onlyKeyword = keyword.map((hit) => hit.unit).filter((unit) => !byVector.has(unit));
  const { scorer } = plan.preset.keyword;
  const [keywordLookedUp, vectorLookedUp] = await Promise.all([
    onlyVector.length === 0
      ? []
      : engine.searchKeyword({
          text,
          scorer,
          filter: { units: onlyVector },
          limit: onlyVector.length,
          explain: request.explain,
        }),
    onlyKeyword.length === 0
      ? []
      : engine.searchVector({ vector: queryVector, filter: { units: onlyKeyword }, limit: onlyKeyword.length }),
  ]);
  return { keywordLookedUp, vectorLookedUp };
}

function withKinds(filter: Filter, unitKinds: Filter['unitKinds']): Filter {
  return unitKinds === undefined ? filter : { ...filter, unitKinds };
}

/** How well the legs found each tool of a server, as a share of the best a tool could have. */
function toolSharesOf(plan: SearchPlan, { keyword, vector }: Retrieved): ReadonlyMap<EntityId, Map<string, number>> {
  const shares = new Map<EntityId, Map<string, number>>();
  const { rrfK } = plan.preset;
  const weights = plan.preset.weights === 'adaptive' ? { keyword: 1, vector: 1 } : plan.preset.weights;
  const best = (weights.keyword + (vector === null ? 0 : weights.vector)) / (rrfK + 1);
  const count = (list: RankedList, weight: number) =>
    list.forEach((hit, at) => {
      if (hit.kind !== 'tool') return;
      const tools = shares.get(hit.entity) ?? new Map<string, number>();
      shares.set(hit.entity, tools);
      const key = hit.unit.slice(hit.entity.length + 1);
      const gained = weight / (rrfK + at + 1) / best;
      tools.set(key, Math.min(1, (tools.get(key) ?? 0) + gained));
    });
  count(keyword, weights.keyword);
  count(vector ?? [], weights.vector);
  return shares;
}
