import { createHash } from 'node:crypto';
import type { StoredEntity } from '../../engines/store.ts';
import { type EntityId, splitEntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';

/** A condition of a write, so that two writers do not overwrite each other. */
export interface WriteCondition {
  /**
   * The `etag` that the entity must still have, several of which one must fit, or `*` for any. Else the write throws
   * PRECONDITION_FAILED and stores nothing. Default: no condition.
   */
  readonly ifMatch?: string | readonly string[] | undefined;
}

/** The tag of a stored entity. It changes with every write that changes the entity. */
export function entityTag({ entity, updatedAt }: StoredEntity): string {
  return createHash('sha256')
    .update(JSON.stringify([updatedAt, entity]))
    .digest('base64url')
    .slice(0, 22);
}

/**
 * Every entity that a write changes must have one of the tags, and there must be one. Call it in the turn of the write: `ids`
 * are those that it touches, `stored` the entities that are there.
 */
export function checkCondition(
  { ifMatch }: WriteCondition,
  ids: readonly EntityId[],
  stored: readonly StoredEntity[],
): void {
  if (ifMatch === undefined || ids.length === 0) return;
  const wanted = typeof ifMatch === 'string' ? [ifMatch] : ifMatch;
  if (stored.length === 0) {
    const { type, path } = splitEntityId(ids[0]!);
    throw new DowserError('PRECONDITION_FAILED', `There is no ${type} at '${path}' to replace.`, {
      field: 'If-Match',
      hint: 'Leave out the condition to add it.',
    });
  }
  if (wanted.includes('*')) return;
  const changed = stored.find((one) => !wanted.includes(entityTag(one)));
  if (changed === undefined) return;
  const { type, path } = changed.entity;
  throw new DowserError('PRECONDITION_FAILED', `The ${type} at '${path}' has changed since it was read.`, {
    field: 'If-Match',
    hint: 'Read it again, apply the change to what is there now, and send its new ETag.',
  });
}
