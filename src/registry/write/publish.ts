import { createHash } from 'node:crypto';
import type { Engine } from '../../engines/engine.ts';
import type { IndexedEntity, Store, StoredEntity } from '../../engines/store.ts';
import { type Entity, type EntityId, idOf, type ParsedEntity, splitEntityId } from '../../model/entity.ts';
import { unitsOf } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { limitWarnings } from '../../model/parse/limits.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { BatchResult, PutResult } from '../contract/answers.ts';
import { checkCondition, entityTag, type WriteCondition } from '../contract/entity-tag.ts';
import { VERSIONS_KEY } from '../contract/kept-versions.ts';
import {
  type BatchOptions,
  type ChangeOptions,
  MAX_BATCH,
  type PutOptions,
  type StoredChange,
} from '../contract/registry.ts';
import { instructionNote } from '../notes/instruction-note.ts';
import { FORGET_SOURCE, isExample } from '../notes/source-note.ts';
import type { EmbedQueue } from '../vectors/embed-queue.ts';
import { readOnce } from '../view/stored-at.ts';
import { blockedBy, checkBlocked, REVIEW_KEY } from './blocked.ts';
import { isPartOf } from './holders.ts';
import { inheritTools } from './inherit-tools.ts';
import { withContentHash } from './memory-hash.ts';
import { inSteps, parseAll } from './parse-batch.ts';
import { atStoredSpelling } from './stored-spelling.ts';
import { checkSupersededStatus } from './superseded-status.ts';
import {
  checkClaims,
  checkFolders,
  checkPlaces,
  checkTaken,
  checkVersions,
  holderOf,
  type Notes,
  type TurnRecords,
} from './write-checks.ts';
import type { WriteRule } from './write-rule.ts';

export interface PublishParts {
  readonly engine: Engine;
  /** The entities that the writer may read. A write copies from these only. */
  readonly readable: Store;
  /** What the writer may write. */
  readonly rule: WriteRule;
  readonly queue: EmbedQueue | null;
  /** Called with what each write has changed, in its turn. */
  readonly onStored: (changes: readonly StoredChange[]) => void;
  /** How long a write waits for its vectors before it answers that they are pending. */
  readonly waitMs: number;
}

/** An entity with its units, the hashes of their texts, and the note about texts that read like instructions. */
export function toIndexed(given: Entity): IndexedEntity {
  const entity = withContentHash(given);
  const units = unitsOf(entity).map((unit) => ({
    ...unit,
    textHash: unit.embedText === '' ? '' : createHash('sha256').update(unit.embedText).digest('hex'),
  }));
  return { entity, units, annotations: instructionNote(given) };
}

export function withAnnotations(indexed: IndexedEntity, annotations: Readonly<Record<string, unknown>>): IndexedEntity {
  return { ...indexed, annotations: { ...indexed.annotations, ...annotations } };
}

interface Written {
  readonly ids: readonly EntityId[];
  readonly created: number;
  readonly pending: number;
  readonly warnings: readonly string[];
  /** Of a single write. */
  readonly etag: string;
}

interface Prepared {
  readonly inputs: readonly unknown[];
  /** For every one of them, in the same write. */
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/**
 * Parses and stores the entities of `prepare`, which runs in the same turn: its reads are still valid at the write, which does
 * not repeat them.
 */
async function write(
  parts: PublishParts,
  prepare: (records: TurnRecords) => Promise<Prepared>,
  options: ChangeOptions,
  batch: boolean,
): Promise<Written> {
  const { ids, touched, created, warnings, etag } = await parts.engine.store.inTurn(async () => {
    const { store } = parts.engine;
    const records = readOnce(parts.readable);
    const { inputs, annotations = {} } = await prepare(records);
    const parsed = await atStoredSpelling(records, await parseAll(inputs, batch));
    for (const { entity } of parsed) {
      parts.rule.checkPath(entity);
      checkSupersededStatus(entity);
    }
    const ids = parsed.map(({ entity }) => idOf(entity));
    // What the writer may not read is not there, up to the last check. Else a write that fails anyway would tell them apart.
    const known = await records.getMany(ids);
    const before = new Map(known.map((record) => [record.id, record.entity]));
    const notes: Notes = before.size === 0 ? new Map() : await store.annotationsOf([...before.keys()]);
    // An example was not chosen by a person, so a write replaces it whole.
    const examples = new Set([...notes].flatMap(([id, { source }]) => (isExample(source) ? [id] : [])));
    checkCondition(options, ids, known);
    parts.rule.checkTags(ids, known);
    const chosen = (id: EntityId) => (examples.has(id) ? undefined : before.get(id));
    const holder = await holderOf({ readable: records, rule: parts.rule }, options);
    const next = new Map(parsed.map(({ entity }, at) => [ids[at], entity]));
    parts.rule.checkChange(
      ids.flatMap((id) => chosen(id) ?? []),
      (stored) => holder !== undefined && isPartOf(holder, stored, next.get(idOf(stored))),
    );
    const stated = parsed.map((one, at) => {
      const stored = chosen(ids[at]!);
      const kept = options.lifecycle === 'keep' && stored !== undefined ? keepLifecycle(one, stored) : one.entity;
      return parts.rule.toStore(kept, stored);
    });
    if (annotations[REVIEW_KEY] === undefined)
      for (const entity of stated) checkBlocked(entity, notes.get(idOf(entity)));
    checkFolders(parts.rule, stated, before);
    await checkClaims({ readable: records, rule: parts.rule }, stated, before, batch);
    parts.rule.starts(ids, known);
    await checkPlaces(records, stated, before, batch);
    const { entities, followers, warnings: dead } = await inheritTools(parts.engine, stated, [], records);
    const indexed = await inSteps(entities, (entity) =>
      withAnnotations(toIndexed(entity), {
        ...(examples.has(idOf(entity)) ? FORGET_SOURCE : {}),
        ...annotations,
        ...options.notes?.get(entity.path),
      }),
    );
    if (annotations[VERSIONS_KEY] === undefined) checkVersions(stated, before, notes);
    await checkTaken(parts, stated, before, batch);
    await store.put([...indexed, ...followers.map(toIndexed)]);
    parts.onStored(entities.map((after) => ({ before: before.get(idOf(after)), after })));
    const found = ids.flatMap((id, at) => [...parsed[at]!.warnings, ...(dead.get(id) ?? [])].map(labeled(at, batch)));
    return {
      ids,
      touched: [...ids, ...followers.map(idOf)],
      created: ids.length - before.size,
      warnings: limitWarnings(found),
      // Read in the same turn: the tag of a later write would let its reader overwrite that write.
      etag: batch ? '' : entityTag((await store.getMany(ids))[0]!),
    };
  });
  if (options.vectors === 'later') parts.queue?.kick();
  else await parts.queue?.embedSoon(touched, parts.waitMs);
  return { ids, created, pending: await pendingOf(parts, ids), warnings, etag };
}

/** Keeps the stored `status` and `is_enabled` unless the input sets them. */
function keepLifecycle({ entity, input }: ParsedEntity, stored: Entity): Entity {
  const { status, is_enabled } = input as Partial<Entity>;
  return {
    ...entity,
    status: status === undefined ? stored.status : entity.status,
    is_enabled: is_enabled === undefined ? stored.is_enabled : entity.is_enabled,
  };
}

const labeled = (at: number, batch: boolean) => (warning: string) => (batch ? `entities.${at}: ${warning}` : warning);

/** How many units of a write have no vector yet. The write is done even if the registry is closing. */
async function pendingOf({ engine, queue }: PublishParts, ids: readonly EntityId[]): Promise<number> {
  if (queue === null) return 0;
  try {
    return (await engine.vectors.missingIds(ids)).length;
  } catch (error) {
    if (queue.isClosed) return ids.length;
    throw error;
  }
}

export function putOne(parts: PublishParts, input: unknown, options: PutOptions = {}): Promise<PutResult> {
  return changeOne(parts, async () => input, options);
}

/** Stores the entity that `make` returns. No other write happens between its reads and this write. */
export function changeOne(
  parts: PublishParts,
  make: (records: TurnRecords) => Promise<unknown>,
  options: PutOptions = {},
): Promise<PutResult> {
  return changeAnnotated(parts, async (records) => ({ inputs: [await make(records)] }), options);
}

/** The same with annotations of the entity. */
export async function changeAnnotated(
  parts: PublishParts,
  make: (records: TurnRecords) => Promise<Prepared>,
  options: PutOptions = {},
): Promise<PutResult> {
  const { ids, created, pending, warnings, etag } = await write(parts, make, options, false);
  const { type, path } = splitEntityId(ids[0]!);
  return {
    entity_type: type,
    path,
    created: created === 1,
    etag,
    pending_vectors: pending,
    warnings,
  };
}

/** The same for several entities, all or none. */
export async function changeMany(
  parts: PublishParts,
  make: () => Promise<readonly unknown[]>,
  options: ChangeOptions = {},
): Promise<BatchResult> {
  const { ids, created, pending, warnings } = await write(parts, async () => ({ inputs: await make() }), options, true);
  return { created, updated: ids.length - created, pending_vectors: pending, warnings };
}

export async function putMany(
  parts: PublishParts,
  inputs: readonly unknown[],
  options: BatchOptions = {},
): Promise<BatchResult> {
  if (!Array.isArray(inputs)) {
    throw new DowserError('INVALID_REQUEST', `'entities' is ${showValue(inputs)}: must be a list.`, {
      field: 'entities',
    });
  }
  if (inputs.length > MAX_BATCH) {
    throw new DowserError('INVALID_REQUEST', `The batch has ${inputs.length} entities; ${MAX_BATCH} are allowed.`, {
      field: 'entities',
      hint: 'Send it in parts.',
    });
  }
  return changeMany(parts, async () => inputs, options);
}

/** Deleted and registered again, what is blocked would be free: only an admin deletes it. */
export async function checkMayDelete({ engine, rule }: PublishParts, ids: readonly EntityId[]): Promise<void> {
  const notes = await engine.store.annotationsOf(ids);
  if ([...notes.values()].some((note) => blockedBy(note) !== undefined)) rule.needs('admin');
}

/** Deletes the entity of `find`. Virtual servers lose the descriptions that they inherited from its tools. */
export async function deleteOne(
  parts: PublishParts,
  find: () => Promise<StoredEntity>,
  condition?: WriteCondition,
): Promise<void> {
  const followers = await parts.engine.store.inTurn(async () => {
    const stored = await find();
    const { id, entity } = stored;
    parts.rule.checkChange([entity]);
    await checkMayDelete(parts, [id]);
    parts.rule.starts([id], [stored], condition);
    const { followers } = await inheritTools(parts.engine, [], [id]);
    // One write: a process that dies in between would leave virtual servers with the tools of a deleted one.
    await parts.engine.store.put(followers.map(toIndexed), { gone: [id] });
    return followers;
  });
  if (followers.length > 0) parts.queue?.kick();
}
