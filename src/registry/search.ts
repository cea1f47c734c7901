import type { Embedder, EmbedderState } from '../embedders/embedder.ts';
import type { Engine, EngineStats, StoredEntity } from '../engines/engine.ts';
import type { EntityId } from '../model/entity.ts';
import { toDowserError } from '../model/errors.ts';
import { parseWith } from '../model/parse.ts';
import { parseProjection } from '../model/projection.ts';
import { type SearchRequestInput, searchRequestSchema } from '../model/query.ts';
import type { SearchResponse } from '../model/result.ts';
import type { Retrieved } from '../search/fuse.ts';
import { planSearch, type SearchPlan, withoutVectorLeg } from '../search/plan.ts';
import { rank } from '../search/rank.ts';
import type { RankedList } from '../search/ranked-list.ts';
import { buildAnswer } from './answer.ts';
import { retrieve } from './retrieve.ts';

export interface SearchParts {
  readonly engine: Engine;
  /** null: this registry has no vector leg. */
  readonly embedder: Embedder | null;
  readonly embedderState: () => EmbedderState;
}

/** The one way a question is answered, whatever surface it came from. */
export async function search(parts: SearchParts, input: SearchRequestInput): Promise<SearchResponse> {
  const request = parseWith(searchRequestSchema, input, 'search request');
  const projection = parseProjection(request.metadata_fields);
  const asked = planSearch(request);
  const stats = await parts.engine.stats();
  const warnings: string[] = [];
  if (stats.entities === 0) warnings.push('The registry is empty: there is nothing to find yet.');

  const queryVector = await embedQuery(parts, asked, stats, warnings);
  const plan = queryVector === null ? withoutVectorLeg(asked) : asked;
  const retrieved = await retrieve(parts.engine, plan, queryVector, stats);
  const candidates = rank(plan, retrieved);
  const records = await parts.engine.getMany([...new Set(candidates.map((candidate) => candidate.entity))]);
  return buildAnswer({
    plan,
    mode: retrieved.vector === null ? 'lexical-only' : 'hybrid',
    candidates,
    stored: new Map<EntityId, StoredEntity>(records.map((record) => [record.id, record])),
    projection,
    unitShares: unitSharesOf(plan, retrieved, new Set(records.map((record) => record.id))),
    warnings,
  });
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

/** How well the legs found each unit of the entities on the page, as a share of the best a unit could have. */
function unitSharesOf(
  plan: SearchPlan,
  { keyword, vector }: Retrieved,
  page: ReadonlySet<EntityId>,
): ReadonlyMap<EntityId, Map<string, number>> {
  const shares = new Map<EntityId, Map<string, number>>();
  const { rrfK } = plan.preset;
  const weights = plan.preset.weights === 'adaptive' ? { keyword: 1, vector: 1 } : plan.preset.weights;
  const best = (weights.keyword + (vector === null ? 0 : weights.vector)) / (rrfK + 1);
  const count = (list: RankedList, weight: number) =>
    list.forEach((hit, at) => {
      if (!page.has(hit.entity)) return;
      const units = shares.get(hit.entity) ?? new Map<string, number>();
      shares.set(hit.entity, units);
      const key = hit.unit.slice(hit.entity.length + 1);
      units.set(key, Math.min(1, (units.get(key) ?? 0) + weight / (rrfK + at + 1) / best));
    });
  count(keyword, weights.keyword);
  count(vector ?? [], weights.vector);
  return shares;
}
