import type { ReadText, Reranker } from '../../embedders/rerankers/reranker.ts';
import type { Store } from '../../engines/store.ts';
import type { Entity, EntityId } from '../../model/entity.ts';
import { unitsOf } from '../../model/entity-types/table.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import type { SearchPlan } from '../../search/plan/plan.ts';
import { type Readings, type RerankMode, unitsToRead } from '../../search/ranking/by-reading.ts';
import type { Candidate } from '../../search/ranking/candidates/candidate.ts';

/** What reads the first tools of a search, and when. */
export interface Reranking {
  readonly reranker: Reranker;
  readonly mode: Exclude<RerankMode, 'off'>;
  /** How long a search waits for it. */
  readonly timeoutMs: number;
}

export const NOT_READ = 'The reranker did not answer in time, so the first results are ordered without it.';

/** The texts that entities embed, by unit id, made once: the first tools are read again and again. */
const TEXTS = new WeakMap<Entity, ReadonlyMap<string, string>>();

function textsOf(entity: Entity): ReadonlyMap<string, string> {
  let texts = TEXTS.get(entity);
  if (texts === undefined) {
    texts = new Map(unitsOf(entity).map(({ id, embedText }) => [id, embedText]));
    TEXTS.set(entity, texts);
  }
  return texts;
}

/** The readings of the first tools; none if there is nothing to decide, null if the reranker failed: a search never fails with it. */
export async function readTools(
  { store, reranking }: { readonly store: Store; readonly reranking: Reranking | null },
  plan: SearchPlan,
  candidates: readonly Candidate[],
): Promise<Readings | null> {
  if (reranking === null) return NO_READINGS;
  const units = unitsToRead(candidates, plan, reranking.mode);
  if (units.length === 0) return NO_READINGS;
  const entities = new Map<EntityId, Entity>();
  for (const { id, entity } of await store.getMany([...new Set(units.map(({ entity }) => entity))]))
    entities.set(id, entity);
  const ids: string[] = [];
  const texts: ReadText[] = [];
  for (const { unit, entity: id, kind } of units) {
    const entity = entities.get(id);
    const text = entity === undefined ? undefined : textsOf(entity).get(unit);
    // Replaced or removed in the meantime.
    if (entity === undefined || text === undefined) continue;
    ids.push(unit);
    texts.push({ text, server: kind === 'tool' ? `${entity.name}: ${entity.description}` : '' });
  }
  const { reranker, timeoutMs } = reranking;
  try {
    const readings = await reranker.read(plan.text, texts, { signal: AbortSignal.timeout(timeoutMs) });
    return new Map(readings.map((reading, at) => [ids[at]!, reading]));
  } catch (thrown) {
    toDowserError(thrown);
    return null;
  }
}

const NO_READINGS: Readings = new Map();
