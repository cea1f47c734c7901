import type { StoredEntity } from '../../engines/store.ts';
import { insufficientScope } from '../../model/caller/access-errors.ts';
import { type Caller, hasRight, mayChange, type Scope } from '../../model/caller/caller.ts';
import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { checkCondition, hasCondition, type WriteCondition } from '../contract/entity-tag.ts';
import type { CallerOptions } from '../contract/registry.ts';
import type { Claim } from './holders.ts';
import { checkMemoryPath } from './memory-path.ts';

/** What one caller may write. Every write of a scoped registry asks it, inside the turn of the write. */
export interface WriteRule {
  /** Throws INSUFFICIENT_SCOPE. */
  needs(scope: Scope): void;
  /** Throws INSUFFICIENT_SCOPE unless the caller is an admin who sees everything. For work on the whole registry. */
  needsEverything(): void;
  /** Throws if the caller may not have this path, taken or free. */
  checkPath(entity: Entity): void;
  /** Throws unless the caller may change all of these, which it can see, or those that `isAllowed` besides. */
  checkChange(stored: readonly Entity[], isAllowed?: (entity: Entity) => boolean): void;
  mayChange(stored: Entity): boolean;
  /** Whether it is the caller's own, or the caller is an admin. A group that an entity is shared with is neither. */
  owns(stored: Entity): boolean;
  /** Throws unless the caller may change what an entity newly claims to be part of. Undefined: the caller can see no such entity. */
  checkClaim(claim: Claim, stored: Entity | undefined): void;
  /** The entity as the caller may store it, in place of `stored` or new: with its owner. */
  toStore(entity: Entity, stored: Entity | undefined): Entity;
  /** Throws PRECONDITION_FAILED unless the stored entities meet the condition of the caller. Each is checked once. */
  checkTags(ids: readonly EntityId[], stored: readonly StoredEntity[]): void;
  /** The condition of the caller is not about these. */
  exempt(ids: readonly EntityId[]): void;
  /**
   * Every write calls it in its turn, once it may happen, with the entities that are there now. Throws PRECONDITION_FAILED
   * unless they meet the condition of the write and that of the caller, then reports the ids to the audit log.
   */
  starts(ids: readonly EntityId[], stored: readonly StoredEntity[], condition?: WriteCondition): void;
  /** The same for a reading, which has no condition. */
  touches(ids: readonly EntityId[]): void;
}

export function writeRuleOf(caller: Caller, { onWrite, onRefuse, ...condition }: CallerOptions = {}): WriteRule {
  const { name } = caller;
  const isAdmin = hasRight(caller, 'admin');
  /** What met the condition. Its tag may be another one by now, by a write of the same request. */
  const met = new Set<EntityId>();
  const checkTags: WriteRule['checkTags'] = (ids, stored) => {
    if (!hasCondition(condition)) return;
    const others = ids.filter((id) => !met.has(id));
    checkCondition(
      condition,
      others,
      stored.filter(({ id }) => !met.has(id)),
    );
    for (const id of others) met.add(id);
  };
  return {
    needs(scope) {
      if (!hasRight(caller, scope)) throw insufficientScope(scope);
    },
    needsEverything() {
      if (!isAdmin || caller.readers !== null) throw insufficientScope('admin');
    },
    checkPath: (entity) => checkMemoryPath(caller, entity),
    mayChange: (stored) => mayChange(caller, stored),
    owns: (stored) => isAdmin || (name !== undefined && stored.owner === name),
    checkClaim({ ids, field }, stored) {
      if (stored === undefined ? field !== 'files' || isAdmin : mayChange(caller, stored)) return;
      const id = stored === undefined ? ids[0]! : idOf(stored);
      if (stored !== undefined) onRefuse?.([id]);
      throw stored === undefined
        ? new DowserError('INVALID_REQUEST', `'${field}' names ${id}, which is not there.`, {
            field,
            hint: 'Create the collection first.',
          })
        : new DowserError('FORBIDDEN', `'${field}' names ${id}, which you may read, but not change.`, {
            field,
            hint: 'Ask its owner or an admin.',
          });
    },
    checkChange(stored, isAllowed = () => false) {
      if (!hasRight(caller, 'write')) throw insufficientScope('write');
      const other = stored.find((entity) => !mayChange(caller, entity) && !isAllowed(entity));
      if (other === undefined) return;
      onRefuse?.([idOf(other)]);
      throw new DowserError('FORBIDDEN', `You may read ${idOf(other)}, but not change it.`, {
        field: 'owner',
        hint: 'Ask its owner or an admin, or register it at another path.',
      });
    },
    checkTags,
    exempt(ids) {
      for (const id of ids) met.add(id);
    },
    toStore(entity, stored) {
      if (name === undefined) return entity;
      const owner = stored === undefined ? name : stored.owner;
      if (entity.owner === undefined) return owner === undefined ? entity : { ...entity, owner };
      if (isAdmin || entity.owner === owner) return entity;
      throw new DowserError('FORBIDDEN', `'owner' is ${showValue(entity.owner)}: you can only register your own.`, {
        field: 'owner',
        hint: `Leave it out${owner === undefined ? '' : `, or write ${showValue(owner)}`}.`,
      });
    },
    starts(ids, stored, own = {}) {
      checkCondition(own, ids, stored);
      checkTags(ids, stored);
      onWrite?.(ids);
    },
    touches: (ids) => onWrite?.(ids),
  };
}
