import type { EmbedderIdentity } from '../model/embedder-identity.ts';
import { type EntityId, idOf } from '../model/entity.ts';
import type { UnitId } from '../model/entity-parts/unit.ts';
import { DowserError } from '../model/errors/errors.ts';
import type { Sliced } from './in-slices.ts';
import type { IndexedEntity } from './store.ts';

/** Units in a slice: about 5 milliseconds. */
const SLICE_UNITS = 5000;

/** Throws for any fault of a batch, before the engine writes anything. `gone`: what the same write deletes. */
export function* checkBatch(
  batch: readonly IndexedEntity[],
  embedder: EmbedderIdentity | null,
  gone: readonly EntityId[],
): Sliced<void> {
  const seen = new Set<EntityId>();
  let checked = 0;
  for (const { entity, units } of batch) {
    const id = idOf(entity);
    if (seen.has(id)) {
      throw new DowserError('DUPLICATE_PATH', `The batch names ${id} twice.`, {
        field: 'path',
        hint: 'Send each entity once; a later write replaces an earlier one.',
      });
    }
    seen.add(id);
    const keys = new Set<UnitId>();
    for (const unit of units) {
      if (unit.entity !== id || keys.has(unit.id) || (unit.kind === 'card') !== (unit.key === 'card')) {
        throw new DowserError(
          'INTERNAL',
          `Unit ${unit.id} does not belong to ${id}, is a duplicate, or has the wrong kind.`,
        );
      }
      keys.add(unit.id);
      if (unit.vector !== undefined) checkVector(unit.vector, embedder, unit.id);
      if (++checked % SLICE_UNITS === 0) yield;
    }
    if (!units.some((unit) => unit.kind === 'card')) throw new DowserError('INTERNAL', `${id} has no card.`);
  }
  const both = gone.find((id) => seen.has(id));
  if (both !== undefined) throw new DowserError('INTERNAL', `One write both puts and deletes ${both}.`);
}

/** `of`: whose vector it is, for the message. */
export function checkVector(vector: Float32Array, embedder: EmbedderIdentity | null, of: string): void {
  checkDimensions(vector, embedder, of);
  for (const number of vector) {
    if (Number.isFinite(number)) continue;
    throw new DowserError('INVALID_REQUEST', `The vector of ${of} has a number that is not finite.`, {
      hint: 'The embedder returned an invalid vector. Embed the text again.',
    });
  }
}

export function checkDimensions(vector: Float32Array, embedder: EmbedderIdentity | null, of: string): void {
  if (vector.length === embedder?.dimensions) return;
  const held = embedder === null ? 'holds no vectors' : `holds vectors of ${embedder.dimensions}, by ${embedder.id}`;
  throw new DowserError('WRONG_DIMENSIONS', `The vector of ${of} has ${vector.length} numbers; this index ${held}.`, {
    hint: 'Embed with the model that the index was opened for.',
  });
}

export function noSuchEntity(id: EntityId): DowserError {
  return new DowserError('NOT_FOUND', `There is no entity ${id}.`, { hint: 'Add it first, or check its path.' });
}
