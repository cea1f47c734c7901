import { hash } from 'node:crypto';
import type { StoredEntity } from '../../engines/store.ts';
import { type EntityId, splitEntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';

/** A condition of a write, so that two writers do not overwrite each other. */
export interface WriteCondition {
  /**
   * The `etag` that the entity must still have, several of which one must fit, or `*` for any. Else the write throws
   * PRECONDITION_FAILED and stores nothing. Default: no condition.
   */
  readonly ifMatch?: string | readonly string[] | undefined;
  /** The other way around: `*` for a write that only adds, or tags that the entity must not have. Default: no condition. */
  readonly ifNoneMatch?: string | readonly string[] | undefined;
}

export const hasCondition = ({ ifMatch, ifNoneMatch }: WriteCondition): boolean =>
  ifMatch !== undefined || ifNoneMatch !== undefined;

/** By stored entity, which is never changed in place. */
const tags = new WeakMap<StoredEntity, string>();

/** The tag of a stored entity. It changes with every write that changes the entity. */
export function entityTag(stored: StoredEntity): string {
  const known = tags.get(stored);
  if (known !== undefined) return known;
  const { entity, updatedAt } = stored;
  const made = hash('sha256', JSON.stringify([updatedAt, entity]), 'base64url').slice(0, 22);
  tags.set(stored, made);
  return made;
}

/** Call it in the turn of the write: `ids` are those that it touches, `stored` the entities that are there. */
export function checkCondition(
  { ifMatch, ifNoneMatch }: WriteCondition,
  ids: readonly EntityId[],
  stored: readonly StoredEntity[],
): void {
  if (ids.length === 0) return;
  if (ifMatch !== undefined) checkMatch(listOf(ifMatch), ids[0]!, stored);
  if (ifNoneMatch !== undefined) checkNoneMatch(listOf(ifNoneMatch), stored);
}

const listOf = (tags: string | readonly string[]): readonly string[] => (typeof tags === 'string' ? [tags] : tags);

/** Every entity that a write changes must have one of the tags, and there must be one. */
function checkMatch(wanted: readonly string[], first: EntityId, stored: readonly StoredEntity[]): void {
  if (stored.length === 0) {
    const { type, path } = splitEntityId(first);
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

/** No entity that a write changes may have one of the tags. `*`: there must be none. */
function checkNoneMatch(unwanted: readonly string[], stored: readonly StoredEntity[]): void {
  const found = unwanted.includes('*') ? stored[0] : stored.find((one) => unwanted.includes(entityTag(one)));
  if (found === undefined) return;
  const { type, path } = found.entity;
  throw new DowserError('PRECONDITION_FAILED', `There is already a ${type} at '${path}'.`, {
    field: 'If-None-Match',
    hint: 'Choose another path. To replace it, leave out the condition or send its ETag as If-Match.',
  });
}
