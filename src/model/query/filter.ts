import type { Entity, EntityId, EntityType, Status } from '../entity.ts';
import { collectionFacets, collectionKey } from '../entity-parts/document-facts.ts';
import { facetsOf, hasFacet } from '../entity-parts/facets.ts';
import type { UnitId, UnitKind } from '../entity-parts/unit.ts';
import { type MemoryFacts, memoryFacts } from '../entity-types/memory-facts.ts';
import { type CertaintyFloor, certaintyAt } from './certainty.ts';

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
  /** All of, as `facetKey` writes them. A license may be a class: see `hasFacet`. */
  readonly facets?: readonly string[];
  /** Any of the caller's reader keys (see `readerKeys`). Absent: no access check. */
  readonly readers?: readonly string[];
  /** Any of. */
  readonly unitKinds?: readonly UnitKind[];
  /** Only these entities. */
  readonly entities?: readonly EntityId[];
  /** None of these entities. */
  readonly without?: readonly EntityId[];
  /** None of these units. */
  readonly withoutUnits?: readonly UnitId[];
  /** Any of. Ignores case. */
  readonly tagsAny?: readonly string[];
  /** Documents of any of these collections. Ignores case. */
  readonly collections?: readonly string[];
  /** Labels of memories (`memoryLabel`): of each list, any. Only memories have labels. */
  readonly labels?: readonly (readonly string[])[];
  /** Memories learned at this moment or later, and before this one, in milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** Not memories that begin to be true after this moment, or that are no longer true at this moment. */
  readonly startedBy?: number;
  readonly endsAfter?: number;
  /** Not memories that are less sure than this. Anything else is sure. */
  readonly certain?: CertaintyFloor;
}

/**
 * The clauses that name a view. Every statistic of a search is taken from the view of its filter: how rare a word is, which
 * hashtags exist. So a caller learns nothing of what it may not read, and a collection answers as if it were alone.
 */
export type ViewClauses = Pick<Filter, 'readers' | 'collections'>;

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
  /** See `facetsOf`; of a document also its collections, see `collectionFacets`. */
  readonly facets: readonly string[];
  /** Null for every other type. */
  readonly memory: MemoryFacts | null;
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
    facets: entity.type === 'document' ? [...facetsOf(entity), ...collectionFacets(entity)] : facetsOf(entity),
    memory: entity.type === 'memory' ? memoryFacts(entity) : null,
  };
}

export const hasStarted = (memory: MemoryFacts | null, moment: number): boolean =>
  (memory?.validFrom ?? Number.NEGATIVE_INFINITY) <= moment;
export const hasEnded = (memory: MemoryFacts | null, moment: number): boolean =>
  (memory?.validTo ?? Number.POSITIVE_INFINITY) <= moment;

export const isCertain = (memory: MemoryFacts | null, { least, at, days }: CertaintyFloor): boolean =>
  certaintyAt(memory?.certainty ?? null, memory?.at ?? at, at, days) >= least;

/** The definition of each clause. A missing one does not compile. */
const CLAUSES: { readonly [C in keyof Filter]-?: (wanted: NonNullable<Filter[C]>, facts: FilterFacts) => boolean } = {
  types: (types, { type, kind }) => types.includes(type) || (kind === 'tool' && types.includes('server_tool')),
  statuses: (statuses, { status }) => statuses.includes(status),
  enabled: (wanted, { enabled }) => wanted === enabled,
  tags: (tags, facts) => tags.every((tag) => facts.tags.includes(foldTag(tag))),
  facets: (keys, facts) => keys.every((key) => hasFacet(facts.facets, key)),
  readers: (readers, facts) => readers.some((key) => facts.readers.includes(key)),
  unitKinds: (kinds, { kind }) => kinds.includes(kind),
  entities: (ids, { id }) => ids.includes(id),
  without: (ids, { id }) => !ids.includes(id),
  withoutUnits: (units, { unit }) => !units.includes(unit),
  tagsAny: (tags, facts) => tags.some((tag) => facts.tags.includes(foldTag(tag))),
  collections: (names, facts) => names.some((name) => facts.facets.includes(collectionKey(name))),
  labels: (lists, { memory }) =>
    lists.every((labels) => labels.some((label) => memory?.labels.includes(label) === true)),
  since: (moment, { memory }) => (memory?.at ?? Number.NEGATIVE_INFINITY) >= moment,
  until: (moment, { memory }) => (memory?.at ?? Number.POSITIVE_INFINITY) < moment,
  startedBy: (moment, { memory }) => hasStarted(memory, moment),
  endsAfter: (moment, { memory }) => !hasEnded(memory, moment),
  certain: (floor, { memory }) => isCertain(memory, floor),
};

type Clause = (wanted: unknown, facts: FilterFacts) => boolean;

/** The definition of a filter, for one unit. Tests compare every fast path with it. */
export function matchesFilter(filter: Filter, facts: FilterFacts): boolean {
  return filterMatcher(filter)(facts);
}

/** The first clause that a unit fails; undefined if it matches. */
export function failedClause(filter: Filter, facts: FilterFacts): keyof Filter | undefined {
  return (Object.keys(CLAUSES) as (keyof Filter)[]).find((clause) => {
    const wanted = filter[clause];
    return wanted !== undefined && !(CLAUSES[clause] as Clause)(wanted, facts);
  });
}

/** The same for many units: only the clauses that are given are looked at. */
export function filterMatcher(filter: Filter): (facts: FilterFacts) => boolean {
  const clauses = (Object.keys(CLAUSES) as (keyof Filter)[]).flatMap((clause) => {
    const wanted = filter[clause];
    return wanted === undefined ? [] : [{ wanted, holds: CLAUSES[clause] as Clause }];
  });
  return (facts) => clauses.every(({ wanted, holds }) => holds(wanted, facts));
}
