import type { Entity, EntityId, EntityType, Status } from './entity.ts';
import { facetsOf } from './facets.ts';
import type { UnitId, UnitKind } from './unit.ts';

/**
 * Which entities and units may match. Every given clause must hold. An engine applies the filter inside each leg, before any
 * limit. An empty list matches nothing.
 */
export interface Filter {
  /** Any of. */
  readonly types?: readonly FilterType[];
  /** Any of. */
  readonly statuses?: readonly Status[];
  readonly enabled?: boolean;
  /** All of. Ignores case. */
  readonly tags?: readonly string[];
  /** All of, as `facetKey` writes them. */
  readonly facets?: readonly string[];
  /** Any of the caller's reader keys (see `readerKeys`). Absent: no access check. */
  readonly readers?: readonly string[];
  /** Any of. */
  readonly unitKinds?: readonly UnitKind[];
  /** Only these entities. */
  readonly entities?: readonly EntityId[];
}

/** The type of an entity, or `server_tool` for the tool units of servers. */
export type FilterType = EntityType | 'server_tool';

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
  /** See `facetsOf`. */
  readonly facets: readonly string[];
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
    facets: facetsOf(entity),
  };
}

/** The definition of each clause. A missing one does not compile. */
const CLAUSES: { readonly [C in keyof Filter]-?: (wanted: NonNullable<Filter[C]>, facts: FilterFacts) => boolean } = {
  types: (types, { type, kind }) => types.includes(type) || (kind === 'tool' && types.includes('server_tool')),
  statuses: (statuses, { status }) => statuses.includes(status),
  enabled: (wanted, { enabled }) => wanted === enabled,
  tags: (tags, facts) => tags.every((tag) => facts.tags.includes(foldTag(tag))),
  facets: (keys, facts) => keys.every((key) => facts.facets.includes(key)),
  readers: (readers, facts) => readers.some((key) => facts.readers.includes(key)),
  unitKinds: (kinds, { kind }) => kinds.includes(kind),
  entities: (ids, { id }) => ids.includes(id),
};

/** The definition of a filter, for one unit. Tests compare every fast path with it. */
export function matchesFilter(filter: Filter, facts: FilterFacts): boolean {
  return (Object.keys(CLAUSES) as (keyof Filter)[]).every((clause) => {
    const wanted = filter[clause];
    return wanted === undefined || (CLAUSES[clause] as (wanted: unknown, facts: FilterFacts) => boolean)(wanted, facts);
  });
}
