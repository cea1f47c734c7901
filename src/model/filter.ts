import type { Entity, EntityId, EntityType, Status } from './entity.ts';
import type { UnitId, UnitKind } from './unit.ts';

/**
 * Which entities and units may match. Every given clause must hold. An engine applies the filter inside each leg, before any
 * limit. An empty list matches nothing.
 */
export interface Filter {
  /** Any of. `tool` also matches the tool units of servers. */
  readonly types?: readonly EntityType[];
  /** Any of. */
  readonly statuses?: readonly Status[];
  readonly enabled?: boolean;
  /** All of. Ignores case. */
  readonly tags?: readonly string[];
  /** Any of the caller's reader keys (see `readerKeys`). Absent: no access check. */
  readonly readers?: readonly string[];
  /** Any of. */
  readonly unitKinds?: readonly UnitKind[];
  /** Only these entities. */
  readonly entities?: readonly EntityId[];
}

/** Who may read an entity, as keys: `public`, `user:NAME`, `group:NAME`. */
export function readerKeys(entity: Pick<Entity, 'visibility' | 'owner' | 'allowed_groups'>): readonly string[] {
  const owner = entity.owner === undefined ? [] : [`user:${entity.owner}`];
  if (entity.visibility === 'public') return ['public', ...owner];
  if (entity.visibility === 'private') return owner;
  return [...owner, ...entity.allowed_groups.map((group) => `group:${group}`)];
}

export function foldTag(tag: string): string {
  return tag.trim().toLowerCase();
}

/** The fields of an entity for filters and facets. They are stored, so a change needs a migration. */
export interface EntityFacts {
  readonly id: EntityId;
  readonly type: EntityType;
  readonly status: Status;
  readonly enabled: boolean;
  /** Folded with `foldTag`. */
  readonly tags: readonly string[];
  readonly readers: readonly string[];
  readonly visibility: Entity['visibility'];
}

/** The same for one unit. */
export interface FilterFacts extends EntityFacts {
  readonly unit: UnitId;
  readonly kind: UnitKind;
}

export function entityFacts(entity: Entity): EntityFacts {
  return {
    id: `${entity.type}:${entity.path}` as EntityId,
    type: entity.type,
    status: entity.status,
    enabled: entity.is_enabled,
    tags: [...new Set(entity.tags.map(foldTag))],
    readers: readerKeys(entity),
    visibility: entity.visibility,
  };
}

/** The definition of a filter, for one unit. Tests compare every fast path with it. */
export function matchesFilter(filter: Filter, facts: FilterFacts): boolean {
  const { types, statuses, enabled, tags, readers, unitKinds, entities } = filter;
  if (types !== undefined && !types.includes(facts.type) && !(types.includes('tool') && facts.kind === 'tool'))
    return false;
  if (statuses !== undefined && !statuses.includes(facts.status)) return false;
  if (enabled !== undefined && facts.enabled !== enabled) return false;
  if (tags !== undefined && !tags.every((tag) => facts.tags.includes(foldTag(tag)))) return false;
  if (readers !== undefined && !readers.some((key) => facts.readers.includes(key))) return false;
  if (unitKinds !== undefined && !unitKinds.includes(facts.kind)) return false;
  if (entities !== undefined && !entities.includes(facts.id)) return false;
  return true;
}
