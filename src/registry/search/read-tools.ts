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
}

/** What the reranker said. A search never fails with it. */
export interface ToolReadings {
  /** None if there is nothing to decide, or the reranker failed. */
  readonly readings: Readings;
  /** What to say if it failed. */
  readonly warning: string | null;
}

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

/** Asks the reranker about the first tools. */
export async function readTools(
  { store, reranking }: { readonly store: Store; readonly reranking: Reranking | null },
  plan: SearchPlan,
  candidates: readonly Candidate[],
): Promise<ToolReadings> {
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
  try {
    const readings = await reranking.reranker.read(plan.text, texts);
    return { readings: new Map(readings.map((reading, at) => [ids[at]!, reading])), warning: null };
  } catch (thrown) {
    const { details, code } = toDowserError(thrown);
    const warning = `The first results are ordered without the reranker: ${details?.reason ?? code}.`;
    return { ...NO_READINGS, warning };
  }
}

const NO_READINGS: ToolReadings = { readings: new Map(), warning: null };
