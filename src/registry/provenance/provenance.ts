import type { Engine } from '../../engines/engine.ts';
import type { Store } from '../../engines/store.ts';
import { type EntityId, idOf } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { readerKeys } from '../../model/query/filter.ts';
import type { Reading } from '../contract/observation.ts';
import { type Observation, type ObservationInput, type Observed, observationSchema } from '../contract/observation.ts';
import { ANNOTATIONS, type SourceNote, sourceKeyOf } from '../notes/source-note.ts';
import {
  type DefinitionNote,
  type Plan,
  type PlanParts,
  planDead,
  planEntities,
  planWithdrawn,
} from './plan-observed.ts';
import { storeObserved } from './store-observed.ts';

export interface ProvenanceParts extends Pick<PlanParts, 'readable' | 'view'> {
  readonly engine: Engine;
  /** Called with the ids of a write before it happens. Default: nothing. */
  readonly onStore?: (ids: readonly EntityId[]) => void;
  /** Called when entities were stored. */
  readonly onStored: () => void;
  /** ISO 8601. */
  readonly now: () => string;
}

/**
 * Stores the entities of a reading with their source, their liveness and how their definitions differ from those last
 * accepted. An invalid entity does not stop the others. Runs in one turn of the writers, and stores each entity together
 * with its annotations.
 */
export async function observe(parts: ProvenanceParts, input: ObservationInput): Promise<readonly Observed[]> {
  const observation = parseWith(observationSchema, input, 'observation');
  const observed = await parts.engine.store.inTurn(() => observeInTurn(parts, observation));
  if (!observation.dry_run) parts.onStored();
  return observed;
}

/** The same for an observation that is made in the turn of the write, of what is stored then. Null: nothing is stored. */
export async function observeStored(
  parts: ProvenanceParts,
  make: () => Promise<ObservationInput | null>,
): Promise<readonly Observed[]> {
  const observed = await parts.engine.store.inTurn(async () => {
    const input = await make();
    return input === null ? [] : observeInTurn(parts, parseWith(observationSchema, input, 'observation'));
  });
  if (observed.length > 0) parts.onStored();
  return observed;
}

async function observeInTurn(parts: ProvenanceParts, observation: Observation): Promise<readonly Observed[]> {
  const { engine } = parts;
  const planning = { ...parts, store: engine.store, now: parts.now() };
  const entityPlans = await planEntities(planning, observation);
  const deadPlans: Plan[] = [];
  for (const gone of observation.missing) deadPlans.push(await planDead(planning, observation, gone));
  const plans = [...entityPlans, ...deadPlans];
  const listed = new Set(entityPlans.flatMap(({ entity }) => (entity === undefined ? [] : idOf(entity))));
  // What the source still lists is not withdrawn.
  const withdrawn = (await planWithdrawn(planning, observation)).filter(({ id }) => !listed.has(id));
  if (!observation.dry_run) {
    const entities = plans.flatMap(({ entity, observed }) =>
      entity === undefined || observed.state === 'unchanged' ? [] : [entity],
    );
    const annotations = plans.flatMap((plan) => plan.annotations);
    const gone = [...withdrawn.map(({ id }) => id), ...plans.flatMap(({ replaced = [] }) => replaced)];
    parts.onStore?.([...entities.map(idOf), ...gone]);
    await storeObserved(engine, { entities, annotations, gone });
    if (observation.reading !== undefined)
      await noteReading(engine.store, sourceKeyOf(observation.source), observation.reading);
  }
  return [...plans.map(({ observed }) => observed), ...withdrawn.map(({ observed }) => observed)];
}

/** Accepts the current definitions. Later readings are compared with them. */
export async function acceptDrift(store: Store, id: EntityId): Promise<void> {
  const notes = (await store.annotationsOf([id])).get(id) ?? {};
  if (notes[ANNOTATIONS.drift] === undefined) {
    throw new DowserError('NOT_FOUND', `${id} has no changes to accept.`, {
      hint: 'Run `dowser drift` to list entities with changes.',
    });
  }
  const note = notes[ANNOTATIONS.definitions] as DefinitionNote;
  await store.annotate([
    { id, key: ANNOTATIONS.drift, value: null },
    { id, key: ANNOTATIONS.definitions, value: { accepted: note.current ?? note.accepted } satisfies DefinitionNote },
  ]);
}

/**
 * Records that a source was read to its end, as an annotation of one of its entities. If that entity is deleted or moves to
 * another source, the next reading is a full one. Entities with the same readers share the note: whether a caller sees it must
 * not depend on entities that the caller may not read.
 */
async function noteReading(store: Store, key: string, reading: NonNullable<Observation['reading']>): Promise<void> {
  const own: EntityId[] = [];
  for (const [id, note] of await store.annotated(ANNOTATIONS.source)) {
    if (sourceKeyOf(note as SourceNote) === key) own.push(id);
  }
  const readings = (await store.annotated(ANNOTATIONS.reading)) as ReadonlyMap<EntityId, Reading>;
  const notes = (await byReaders(store, own)).flatMap((ids) => {
    const id = ids.find((one) => readings.has(one)) ?? ids[0]!;
    const value = nextReading(readings.get(id), reading);
    return value === null ? [] : [{ id, key: ANNOTATIONS.reading, value }];
  });
  if (notes.length > 0) await store.annotate(notes);
}

/** Null for a partial reading without a full one before it. */
function nextReading(
  before: Reading | undefined,
  { started_at, full }: NonNullable<Observation['reading']>,
): Reading | null {
  if (full) return { started_at, full_at: started_at, partial: 0 };
  return before === undefined ? null : { started_at, full_at: before.full_at, partial: before.partial + 1 };
}

async function byReaders(store: Store, ids: readonly EntityId[]): Promise<readonly (readonly EntityId[])[]> {
  const groups = new Map<string, EntityId[]>();
  for (const { id, entity } of await store.getMany(ids)) {
    const readers = JSON.stringify([...readerKeys(entity)].sort());
    const group = groups.get(readers) ?? [];
    groups.set(readers, group);
    group.push(id);
  }
  return [...groups.values()];
}
