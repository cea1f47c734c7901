import type { Store } from '../../engines/store.ts';
import { type EntityId, entityId } from '../../model/entity.ts';
import type { Filter } from '../../model/query/filter.ts';
import type { FoundUnit, Retrieved } from '../../search/retrieval/retrieval.ts';

/** By superseded memory, the memory that superseded it. */
export type Successors = ReadonlyMap<EntityId, EntityId>;

export interface SuccessorParts {
  readonly store: Pick<Store, 'getMany'>;
  /** The same question to these entities alone. */
  readonly askOnly: (ids: readonly EntityId[]) => Promise<Retrieved>;
}

const NONE: Successors = new Map();

/**
 * What was retrieved, with the successors of superseded memories that match too but were beyond the limit of the legs: a
 * superseded memory must not be on a page that its successor is not on. Costs nothing unless history was asked for.
 */
export async function withSuccessors(
  { store, askOnly }: SuccessorParts,
  { statuses, types }: Filter,
  retrieved: Retrieved,
): Promise<{ readonly retrieved: Retrieved; readonly successors: Successors }> {
  const isHistory = statuses === undefined || statuses.includes('deprecated');
  if (!isHistory || types?.includes('memory') === false) return { retrieved, successors: NONE };
  const found = new Set<EntityId>();
  const successors = new Map<EntityId, EntityId>();
  for (const { type, entity, facts } of retrieved.units) {
    if (type !== 'memory') continue;
    found.add(entity);
    const successor = facts.memory?.successor ?? null;
    if (successor !== null) successors.set(entity, successor);
  }
  if (successors.size === 0) return { retrieved, successors };
  const missing = await followed(store, found, successors);
  const more = missing.length === 0 ? null : await askOnly(missing);
  return { retrieved: more === null ? retrieved : joined(retrieved, more), successors };
}

/** Adds the successors of memories that were not found, and returns the ids of those. */
async function followed(
  store: Pick<Store, 'getMany'>,
  found: ReadonlySet<EntityId>,
  successors: Map<EntityId, EntityId>,
): Promise<readonly EntityId[]> {
  const read = new Set<EntityId>();
  let next = [...new Set(successors.values())].filter((id) => !found.has(id));
  while (next.length > 0) {
    for (const id of next) read.add(id);
    const later = new Set<EntityId>();
    for (const { id, entity } of await store.getMany(next)) {
      if (entity.type !== 'memory' || entity.superseded === undefined) continue;
      const successor = entityId('memory', entity.superseded.by);
      successors.set(id, successor);
      if (!found.has(successor) && !read.has(successor)) later.add(successor);
    }
    next = [...later];
  }
  return [...read];
}

/** The lists of the second answer behind those of the first, whose evidence stays. */
function joined(first: Retrieved, second: Retrieved): Retrieved {
  // Something may have been written in between, so a number of the second answer may be that of another entity in the first.
  const groups = first.units.reduce((most, { group }) => Math.max(most, group + 1), 0);
  const moved = new Map(
    second.units.map((unit) => [unit, movedTo(unit, first.units.length + unit.at, groups + unit.group)]),
  );
  const behind = (list: readonly FoundUnit[], more: readonly FoundUnit[]) => [
    ...list,
    ...more.map((unit) => moved.get(unit)!),
  ];
  return {
    units: behind(first.units, second.units),
    keyword: behind(first.keyword, second.keyword),
    vector: first.vector === null ? null : behind(first.vector, second.vector ?? []),
    evidence: first.evidence,
    toolsOf: (units) => first.toolsOf(units),
  };
}

function movedTo(found: FoundUnit, at: number, group: number): FoundUnit {
  const { unit, entity, type, kind, title, actions, facts, keyword, vector } = found;
  return {
    at,
    unit,
    entity,
    group,
    type,
    kind,
    title,
    actions,
    facts,
    keyword,
    vector,
    similarity: () => found.similarity(),
    matchedFields: () => found.matchedFields(),
    adjacentWords: () => found.adjacentWords(),
    explainKeyword: () => found.explainKeyword(),
  };
}
