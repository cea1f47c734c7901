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
import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import type { Drift, Liveness, Observation, Observed } from '../contract/observation.ts';
import { compareDefinitions } from '../notes/drift.ts';
import { accessAfter, accessOf, saysAccess } from '../notes/source-access.ts';
import { ANNOTATIONS, FORGET_SOURCE, isExample, originOf, type SourceNote, sourceKeyOf } from '../notes/source-note.ts';
import type { EntityRows } from '../view/entity-view.ts';
import { blockedBy } from '../write/blocked.ts';
import { isSameEntity } from '../write/inherit-tools.ts';
import { takenPath } from '../write/write-checks.ts';
import { versionsNote } from './observed-versions.ts';
import { sameEntities, untouchedExamples } from './same-entities.ts';

/** What a plan reads. */
export interface PlanParts {
  /** All entities and their annotations. */
  readonly store: Store;
  /** As the caller may read it. What is hidden is not found; its path cannot be had. */
  readonly readable: Store;
  /** The rows that the caller may read. */
  readonly view: EntityRows;
  /** ISO 8601. */
  readonly now: string;
}

/** Set by the owner and unknown to the source: kept when the source is read again. */
const CURATED = ['owner', 'visibility', 'allowed_groups', 'is_enabled', 'official_name'] as const;
/** Kept too, unless the source sets them. */
const CURATED_IF_SILENT = ['tags', 'status', 'trust_level'] as const;

/** What is to be stored of a part of a source. */
export interface Plan {
  readonly observed: Observed;
  readonly entity?: Entity;
  readonly annotations: readonly Annotation[];
  /** Examples that are the same and give way. */
  readonly replaced?: readonly EntityId[];
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

type Given = Observation['entities'][number];

/** The plans for the entities of an observation. One that is refused does not stop the others. */
export async function planEntities(parts: PlanParts, observation: Observation): Promise<readonly Plan[]> {
  const homes = await pathsBySource(parts.readable, sourceKeyOf(observation.source));
  const plans: Plan[] = [];
  const seen = new Set<EntityId>();
  for (const { part, entity, updated_at, versions } of observation.entities) {
    // A renamed server keeps its path.
    const home = homes.get(`${String(entity.type)} ${part}`);
    const placed = home === undefined ? entity : { ...entity, path: home };
    const given = { part, entity: placed, ...stated({ updated_at, versions }) };
    try {
      const plan = await planEntity(parts, observation, given);
      if (plan.entity !== undefined) checkOnce(seen, idOf(plan.entity));
      plans.push(plan);
    } catch (thrown) {
      plans.push(refused(given, thrown));
    }
  }
  return withSameNotes(parts, observation, plans);
}

/** The plan for an entity that cannot be stored. Throws again what is no error of this registry. */
function refused({ part, entity }: Given, thrown: unknown): Plan {
  if (!(thrown instanceof DowserError)) throw thrown;
  const type = ENTITY_TYPES.find((known) => known === entity.type) ?? null;
  const { code, message } = thrown;
  const observed = { ...unread(type, String(entity.path ?? ''), part, 'refused', [message]), code };
  return { observed, annotations: [] };
}

/** An entity that is added replaces the examples that are the same, and says which others are. */
async function withSameNotes(
  { view, store }: PlanParts,
  { source, dry_run }: Observation,
  plans: readonly Plan[],
): Promise<readonly Plan[]> {
  const isAdded = ({ observed }: Plan) => observed.state === 'added';
  const added = plans.filter(isAdded).flatMap(({ entity }) => entity ?? []);
  const examples = added.length === 0 ? new Set<EntityId>() : await untouchedExamples(store);
  const all = await sameEntities(view, added, examples);
  let at = 0;
  return plans.map((plan) => {
    const same = isAdded(plan) ? all[at++] : undefined;
    if (same === undefined) return plan;
    const { note, replaced, stored } = same;
    if (isExample(source)) return stored === undefined ? plan : keptFor(plan, stored);
    const done = dry_run ? 'Would replace' : 'Replaced';
    const paths = replaced.map((id) => `${done} the example ${splitEntityId(id).path}, which is the same.`);
    const notes = [...plan.observed.notes, ...paths, ...(note === undefined ? [] : [note])];
    return { ...plan, replaced, observed: { ...plan.observed, notes } };
  });
}

/** An example gives way to what a person has added. */
function keptFor({ observed }: Plan, path: string): Plan {
  const notes = [...observed.notes, `Kept the existing ${path}, which is the same.`];
  return { observed: { ...observed, state: 'kept', notes }, annotations: [] };
}

function checkOnce(seen: Set<EntityId>, id: EntityId): void {
  if (seen.has(id)) {
    throw new DowserError('DUPLICATE_PATH', `The source names ${id} twice.`, {
      hint: 'Give one of them another name.',
    });
  }
  seen.add(id);
}

async function planEntity(
  { store, readable, now }: PlanParts,
  observation: Observation,
  { part, entity: raw, updated_at, versions }: Given,
): Promise<Plan> {
  const key = sourceKeyOf(observation.source);
  const { entity: fresh, warnings } = parseEntity(raw);
  const id = idOf(fresh);
  const [stored] = await readable.getMany([id]);
  if (stored === undefined && (await store.getMany([id])).length > 0) throw takenPath(fresh);
  const found = (await store.annotationsOf([id])).get(id) ?? {};
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
  const read =
    stored === undefined || overExample
      ? fresh
      : withCurated(fresh, stored.entity, raw, { kind: observation.source.kind, before });
  const entity = blockedBy(found) === undefined ? read : { ...read, is_enabled: false };
  const versioned = versionsNote(entity, versions, notes, now);
  const unchanged = stored !== undefined && versioned === null && isSameEntity(stored.entity, entity);
  const state = stored === undefined ? 'added' : unchanged ? 'unchanged' : 'updated';
  const accepted = (isExample(observation.source) ? undefined : acceptedOf(notes)) ?? definitions;
  const known = (notes[ANNOTATIONS.drift] ?? null) as Drift | null;
  const drift = compareDefinitions(accepted, definitions, known?.since ?? now);
  const isNews = canonicalJson(drift) !== canonicalJson(known);
  const access = saysAccess(observation.source.kind) ? accessOf(fresh) : undefined;
  const source: SourceNote = { ...observation.source, part, ...stated({ updated_at, access }) };
  const done = observation.dry_run ? 'Would replace' : 'Replaced';
  const replaces = elsewhere ? [`${done} the existing ${fresh.path} (${originOf(before)}).`] : [];
  return {
    observed: { ...observed, state, drift: isNews ? drift : null, notes: [...warnings, ...replaces] },
    entity,
    annotations: [
      ...(overExample ? Object.keys(FORGET_SOURCE).map((key) => ({ id, key, value: null })) : []),
      { id, key: ANNOTATIONS.source, value: source },
      ...(versioned === null ? [] : [versioned]),
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

interface LastReading {
  readonly kind: string;
  /** The note of the source that the entity has; undefined without one. */
  readonly before: SourceNote | undefined;
}

function withCurated(fresh: Entity, stored: Entity, raw: Notes, { kind, before: note }: LastReading): Entity {
  const silent = CURATED_IF_SILENT.filter(
    (field) => raw[field] === undefined || (field === 'tags' && fresh.tags.length === 0),
  );
  const before: Readonly<Record<string, unknown>> = { ...stored };
  const kept = [...CURATED, ...silent].map((field) => [field, before[field]] as const);
  const merged = { ...fresh, ...Object.fromEntries(kept.filter(([, value]) => value !== undefined)) };
  if (saysAccess(kind)) return { ...merged, ...accessAfter(stored, fresh, note?.access) };
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
export interface DefinitionNote {
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
export async function planDead(
  { readable, now }: PlanParts,
  { source: given }: Observation,
  { type, path, error }: Observation['missing'][number],
): Promise<Plan> {
  const key = sourceKeyOf(given);
  const id = entityId(type, path);
  const [stored] = await readable.getMany([id]);
  const notes = stored === undefined ? {} : ((await readable.annotationsOf([id])).get(id) ?? {});
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

/** A source can withdraw only its own entities, and none that is blocked: listed again, it would be free. */
export async function planWithdrawn({ readable: store }: PlanParts, { source, withdrawn }: Observation) {
  const key = sourceKeyOf(source);
  const named = withdrawn.map(({ type, path }) => entityId(type, path));
  const ids = (await store.getMany(named)).map(({ id }) => id);
  const notes = await store.annotationsOf(ids);
  return ids.flatMap((id) => {
    const note = notes.get(id)?.[ANNOTATIONS.source] as SourceNote | undefined;
    if (note === undefined || sourceKeyOf(note) !== key || blockedBy(notes.get(id)) !== undefined) return [];
    const { type, path } = splitEntityId(id);
    return [{ id, observed: unread(type, path, note.part, 'deleted', []) }];
  });
}
