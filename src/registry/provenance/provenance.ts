import type { Engine } from '../../engines/engine.ts';
import type { Annotation, Store } from '../../engines/store.ts';
import { canonicalJson, type Definitions, definitionsOf } from '../../model/definitions.ts';
import {
  ENTITY_TYPES,
  type Entity,
  type EntityId,
  entityId,
  idOf,
  parseEntity,
  splitEntityId,
} from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { stated } from '../../model/json-object.ts';
import { parseWith } from '../../model/parse.ts';
import type { EntityRows } from '../operations/entity-view.ts';
import { takenPath } from '../write/publish.ts';
import { compareDefinitions } from './drift.ts';
import {
  type Drift,
  type Liveness,
  type Observation,
  type ObservationInput,
  type Observed,
  observationSchema,
} from './observation.ts';
import { noteReading } from './reading-note.ts';
import { sameEntityNotes } from './same-entities.ts';
import { ANNOTATIONS, FORGET_SOURCE, isExample, originOf, type SourceNote, sourceKeyOf } from './source-note.ts';
import { storeObserved } from './store-observed.ts';

export interface ProvenanceParts {
  readonly engine: Engine;
  /** As the caller may read it. What is hidden is not found; its path cannot be had. */
  readonly readable: Store;
  /** The rows that the caller may read. */
  readonly view: EntityRows;
  /** Called with the ids of a write before it happens. Default: nothing. */
  readonly onStore?: (ids: readonly EntityId[]) => void;
  /** Called when entities were stored. */
  readonly onStored: () => void;
  /** ISO 8601. */
  readonly now: () => string;
}

/** Set by the owner and unknown to the source: kept when the source is read again. */
const CURATED = ['owner', 'visibility', 'allowed_groups', 'is_enabled', 'official_name'] as const;
/** Kept too, unless the source sets them. */
const CURATED_IF_SILENT = ['tags', 'status', 'trust_level'] as const;

interface Plan {
  readonly observed: Observed;
  readonly entity?: Entity;
  readonly annotations: readonly Annotation[];
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
  const { engine, readable } = parts;
  const now = parts.now();
  const key = sourceKeyOf(observation.source);
  const homes = await pathsBySource(readable, key);
  let plans: Plan[] = [];
  const seen = new Set<EntityId>();
  for (const { part, entity: given, updated_at } of observation.entities) {
    const home = homes.get(`${String(given.type)} ${part}`);
    const raw = home === undefined ? given : { ...given, path: home };
    try {
      const plan = await planEntity(parts, observation, { part, raw, key, now, updated_at });
      if (plan.entity !== undefined) checkOnce(seen, idOf(plan.entity));
      plans.push(plan);
    } catch (thrown) {
      if (!(thrown instanceof DowserError)) throw thrown;
      const type = ENTITY_TYPES.find((known) => known === raw.type) ?? null;
      const notes = [`${thrown.code}: ${thrown.message}`];
      plans.push({ observed: unread(type, String(raw.path ?? ''), part, 'refused', notes), annotations: [] });
    }
  }
  plans = await withSameNotes(parts.view, plans);
  for (const { type, path, error } of observation.missing)
    plans.push(await planDead(readable, entityId(type, path), error, key, now));
  // What the source still lists is not withdrawn.
  const withdrawn = (await planWithdrawn(readable, observation, key)).filter(({ id }) => !seen.has(id));
  if (!observation.dry_run) {
    const entities = plans.flatMap(({ entity, observed }) =>
      entity === undefined || observed.state === 'unchanged' ? [] : [entity],
    );
    const annotations = plans.flatMap((plan) => plan.annotations);
    const gone = withdrawn.map(({ id }) => id);
    parts.onStore?.([...entities.map(idOf), ...gone]);
    await storeObserved(engine, { entities, annotations, gone });
    if (observation.reading !== undefined) await noteReading(engine.store, key, observation.reading);
  }
  return [...plans.map(({ observed }) => observed), ...withdrawn.map(({ observed }) => observed)];
}

/** An entity that is added says which others are the same. */
async function withSameNotes(view: EntityRows, plans: readonly Plan[]): Promise<Plan[]> {
  const isAdded = ({ observed }: Plan) => observed.state === 'added';
  const notes = await sameEntityNotes(
    view,
    plans.filter(isAdded).flatMap(({ entity }) => entity ?? []),
  );
  let at = 0;
  return plans.map((plan) => {
    const note = isAdded(plan) ? notes[at++] : undefined;
    return note === undefined
      ? plan
      : { ...plan, observed: { ...plan.observed, notes: [...plan.observed.notes, note] } };
  });
}

function checkOnce(seen: Set<EntityId>, id: EntityId): void {
  if (seen.has(id)) {
    throw new DowserError('DUPLICATE_PATH', `The source names ${id} twice.`, {
      hint: 'Give one of them another name.',
    });
  }
  seen.add(id);
}

/** The result for an entity whose definitions were not compared. */
function unread(
  type: Observed['entity_type'],
  path: string,
  part: string,
  state: Observed['state'],
  notes: string[],
): Observed {
  return { entity_type: type, path, part, state, definitions: 0, drift: null, notes };
}

/** The paths of a source's entities, by type and part: a renamed server keeps its path. */
async function pathsBySource(store: Store, key: string): Promise<ReadonlyMap<string, string>> {
  const homes = new Map<string, string>();
  for (const [id, value] of await store.annotated(ANNOTATIONS.source)) {
    const note = value as SourceNote;
    if (sourceKeyOf(note) !== key) continue;
    const { type, path } = splitEntityId(id);
    homes.set(`${type} ${note.part}`, path);
  }
  return homes;
}

interface Given {
  readonly part: string;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly now: string;
  readonly updated_at: string | undefined;
}

async function planEntity(
  { engine, readable }: ProvenanceParts,
  observation: Observation,
  given: Given,
): Promise<Plan> {
  const { part, raw, key, now, updated_at } = given;
  const { entity: fresh, warnings } = parseEntity(raw);
  const id = idOf(fresh);
  const [stored] = await readable.getMany([id]);
  if (stored === undefined && (await engine.store.getMany([id])).length > 0) throw takenPath(fresh);
  const found = (await engine.store.annotationsOf([id])).get(id) ?? {};
  const before = found[ANNOTATIONS.source] as SourceNote | undefined;
  const definitions = definitionsOf(raw);
  const count = Object.keys(definitions).length;
  const observed = { entity_type: fresh.type, path: fresh.path, part, definitions: count };
  const elsewhere = stored !== undefined && (before === undefined || sourceKeyOf(before) !== key);
  const overExample = elsewhere && isExample(before);
  if (elsewhere && !observation.take_over && !overExample) {
    const note = `Kept the existing ${fresh.path} (${originOf(before)}). Use \`dowser add --replace\` to replace it.`;
    return { observed: { ...observed, state: 'kept', drift: null, notes: [...warnings, note] }, annotations: [] };
  }
  // The definitions of an example were never accepted.
  const notes = overExample ? {} : found;
  const entity =
    stored === undefined || overExample ? fresh : withCurated(fresh, stored.entity, raw, observation.source.kind);
  const unchanged = stored !== undefined && canonicalJson(stored.entity) === canonicalJson(entity);
  const state = stored === undefined ? 'added' : unchanged ? 'unchanged' : 'updated';
  const accepted = (isExample(observation.source) ? undefined : acceptedOf(notes)) ?? definitions;
  const known = (notes[ANNOTATIONS.drift] ?? null) as Drift | null;
  const drift = compareDefinitions(accepted, definitions, known?.since ?? now);
  const isNews = canonicalJson(drift) !== canonicalJson(known);
  const source: SourceNote = { ...observation.source, part, ...stated({ updated_at }) };
  const done = observation.dry_run ? 'Would replace' : 'Replaced';
  const replaces = elsewhere ? [`${done} the existing ${fresh.path} (${originOf(before)}).`] : [];
  return {
    observed: { ...observed, state, drift: isNews ? drift : null, notes: [...warnings, ...replaces] },
    entity,
    annotations: [
      ...(overExample ? Object.keys(FORGET_SOURCE).map((key) => ({ id, key, value: null })) : []),
      { id, key: ANNOTATIONS.source, value: source },
      ...(elsewhere ? [{ id, key: ANNOTATIONS.reading, value: null }] : []),
      ...definitionNotes(id, notes, accepted, drift === null ? null : definitions),
      ...(isNews ? [{ id, key: ANNOTATIONS.drift, value: drift }] : []),
      ...livenessNotes(id, notes[ANNOTATIONS.liveness] as Liveness | undefined, observation.live, now),
      ...(observation.live ? forgetRefusal(id, notes) : []),
    ],
  };
}

/** Only a live reading proves that an entity is alive. A list proves only that the entity is no longer missing from it. */
function livenessNotes(id: EntityId, before: Liveness | undefined, live: boolean, now: string): readonly Annotation[] {
  if (!live) return before?.state === 'dead' ? [{ id, key: ANNOTATIONS.liveness, value: null }] : [];
  const since = before?.state === 'alive' ? before.since : now;
  return [{ id, key: ANNOTATIONS.liveness, value: { state: 'alive', checked_at: now, since } satisfies Liveness }];
}

const forgetRefusal = (id: EntityId, notes: Notes): readonly Annotation[] =>
  notes[ANNOTATIONS.refusal] === undefined ? [] : [{ id, key: ANNOTATIONS.refusal, value: null }];

/**
 * A registry that is copied says who may read an entity and whether it is enabled. Here it may be narrowed, or shared with groups of this registry, but not
 * made public or enabled.
 */
const COPIED = 'dowser';

function withCurated(fresh: Entity, stored: Entity, raw: Readonly<Record<string, unknown>>, kind: string): Entity {
  const silent = CURATED_IF_SILENT.filter(
    (field) => raw[field] === undefined || (field === 'tags' && fresh.tags.length === 0),
  );
  const before: Readonly<Record<string, unknown>> = { ...stored };
  const kept = [...CURATED, ...silent].map((field) => [field, before[field]] as const);
  const merged = { ...fresh, ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)) };
  if (kind !== COPIED) return merged;
  return {
    ...merged,
    is_enabled: merged.is_enabled && fresh.is_enabled,
    ...(merged.visibility === 'public' ? { visibility: fresh.visibility } : {}),
  };
}

/**
 * The accepted definitions, and the current ones if they differ. Each is one text: only a reading parses it, while
 * searches may load all annotations of an entity.
 */
interface DefinitionNote {
  readonly accepted: string;
  readonly current?: string;
}

type Notes = Readonly<Record<string, unknown>>;

/** The definitions that were last accepted. Undefined for an entity that never had a source. */
export function acceptedOf(notes: Notes): Definitions | undefined {
  const note = notes[ANNOTATIONS.definitions] as DefinitionNote | undefined;
  return note === undefined ? undefined : (JSON.parse(note.accepted) as Definitions);
}

function definitionNotes(
  id: EntityId,
  notes: Notes,
  accepted: Definitions,
  current: Definitions | null,
): readonly Annotation[] {
  const value: DefinitionNote = {
    accepted: canonicalJson(accepted),
    ...(current === null ? {} : { current: canonicalJson(current) }),
  };
  const before = notes[ANNOTATIONS.definitions] ?? { accepted: '{}' };
  return canonicalJson(before) === canonicalJson(value) ? [] : [{ id, key: ANNOTATIONS.definitions, value }];
}

/** Only for entities of this source. */
async function planDead(store: Store, id: EntityId, error: string, key: string, now: string): Promise<Plan> {
  const { type, path } = splitEntityId(id);
  const [stored] = await store.getMany([id]);
  const notes = stored === undefined ? {} : ((await store.annotationsOf([id])).get(id) ?? {});
  const source = notes[ANNOTATIONS.source] as SourceNote | undefined;
  const part = source?.part ?? '';
  if (source === undefined || sourceKeyOf(source) !== key) {
    return { observed: unread(type, path, part, 'kept', [`${id} did not come from this source.`]), annotations: [] };
  }
  const before = notes[ANNOTATIONS.liveness] as Liveness | undefined;
  const since = before?.state === 'dead' ? before.since : now;
  const value: Liveness = { state: 'dead', checked_at: now, since, error };
  const annotations = [{ id, key: ANNOTATIONS.liveness, value }, ...forgetRefusal(id, notes)];
  return { observed: unread(type, path, part, 'dead', [error]), annotations };
}

/** A source can withdraw only its own entities. */
async function planWithdrawn(store: Store, { withdrawn }: Observation, key: string) {
  const named = withdrawn.map(({ type, path }) => entityId(type, path));
  const ids = (await store.getMany(named)).map(({ id }) => id);
  const notes = await store.annotationsOf(ids);
  return ids.flatMap((id) => {
    const note = notes.get(id)?.[ANNOTATIONS.source] as SourceNote | undefined;
    if (note === undefined || sourceKeyOf(note) !== key) return [];
    const { type, path } = splitEntityId(id);
    return [{ id, observed: unread(type, path, note.part, 'deleted', []) }];
  });
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
