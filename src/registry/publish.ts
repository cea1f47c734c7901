import { createHash } from 'node:crypto';
import type { Engine, IndexedEntity } from '../engines/engine.ts';
import { type Entity, type EntityId, idOf, parseEntity, splitEntityId } from '../model/entity.ts';
import { DowserError } from '../model/errors.ts';
import { unitsOf } from '../model/units-of.ts';
import type { EmbedQueue } from './embed-queue.ts';
import { type BatchResult, MAX_BATCH, type PutOptions, type PutResult } from './registry.ts';

export interface PublishParts {
  readonly engine: Engine;
  readonly queue: EmbedQueue | null;
  /** How long a write waits for its vectors before it answers that they are pending. */
  readonly waitMs: number;
}

/** An entity with its units and the hashes that tell whether a text has changed. */
export function toIndexed(entity: Entity): IndexedEntity {
  const units = unitsOf(entity).map((unit) => ({
    ...unit,
    textHash: unit.embedText === '' ? '' : createHash('sha256').update(unit.embedText).digest('hex'),
  }));
  return { entity, units };
}

interface Written {
  readonly ids: readonly EntityId[];
  readonly created: number;
  readonly pending: number;
  readonly warnings: readonly string[];
}

async function write(
  parts: PublishParts,
  inputs: readonly unknown[],
  options: PutOptions,
  batch: boolean,
): Promise<Written> {
  const entities: Entity[] = [];
  const warnings: string[] = [];
  const seen = new Map<EntityId, number>();
  inputs.forEach((input, at) => {
    const { entity, warnings: found } = batch ? parseInBatch(input, at) : parseEntity(input);
    const id = idOf(entity);
    const earlier = seen.get(id);
    if (earlier !== undefined) {
      throw new DowserError('DUPLICATE_PATH', `Entities ${earlier} and ${at} of the batch are both ${id}.`, {
        field: `entities.${at}.path`,
        hint: 'Name each entity once in a batch; nothing of this batch was stored.',
      });
    }
    seen.set(id, at);
    entities.push(entity);
    warnings.push(...(batch ? found.map((text) => `entities.${at}: ${text}`) : found));
  });
  const ids = entities.map(idOf);
  const before = new Set((await parts.engine.getMany(ids)).map((record) => record.id));
  await parts.engine.put(entities.map(toIndexed));
  if (options.vectors === 'later') parts.queue?.kick();
  else await parts.queue?.embedSoon(ids, parts.waitMs);
  return { ids, created: ids.length - before.size, pending: await pendingOf(parts, ids), warnings };
}

/** How many units of a write still wait. The write itself is done: a registry that is closing meanwhile does not undo it. */
async function pendingOf({ engine, queue }: PublishParts, ids: readonly EntityId[]): Promise<number> {
  if (queue === null) return 0;
  try {
    return (await engine.missingVectors(Number.MAX_SAFE_INTEGER, ids)).length;
  } catch (error) {
    if (queue.isClosed) return ids.length;
    throw error;
  }
}

function parseInBatch(input: unknown, at: number) {
  try {
    return parseEntity(input);
  } catch (error) {
    if (!(error instanceof DowserError)) throw error;
    const field = error.field === undefined ? `entities.${at}` : `entities.${at}.${error.field}`;
    throw new DowserError(error.code, `Entity ${at} of the batch: ${error.message}`, {
      field,
      hint: error.hint ?? 'Correct it and send the batch again; nothing of this batch was stored.',
    });
  }
}

export async function putOne(parts: PublishParts, input: unknown, options: PutOptions = {}): Promise<PutResult> {
  const { ids, created, pending, warnings } = await write(parts, [input], options, false);
  const { type, path } = splitEntityId(ids[0]!);
  return {
    entity_type: type,
    path,
    created: created === 1,
    pending_vectors: pending,
    warnings,
  };
}

export async function putMany(
  parts: PublishParts,
  inputs: readonly unknown[],
  options: PutOptions = {},
): Promise<BatchResult> {
  if (inputs.length > MAX_BATCH) {
    throw new DowserError('INVALID_REQUEST', `The batch has ${inputs.length} entities; ${MAX_BATCH} are allowed.`, {
      field: 'entities',
      hint: 'Send it in parts.',
    });
  }
  const { ids, created, pending, warnings } = await write(parts, inputs, options, true);
  return { created, updated: ids.length - created, pending_vectors: pending, warnings };
}
