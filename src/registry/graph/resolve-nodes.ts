import type { Store, StoredEntity } from '../../engines/store.ts';
import { serversOfTool } from '../../graph/tool-node.ts';
import type { Entity, EntityId } from '../../model/entity.ts';
import type { ListedTool } from '../../model/entity-types/descriptor.ts';
import { toolsOf } from '../../model/entity-types/table.ts';

/** What a node of the graph is: an entity, or a tool that an entity lists. */
export interface ResolvedNode {
  readonly entity: Entity;
  /** When the entity was registered: ISO 8601, UTC. */
  readonly createdAt: string;
  readonly tool: ListedTool | null;
}

/** The nodes that are in this store, read at once. Others are left out: they are hidden, or not there. */
export async function resolveNodes(
  store: Pick<Store, 'getMany'>,
  nodes: readonly EntityId[],
): Promise<ReadonlyMap<EntityId, ResolvedNode>> {
  const wanted = new Set<EntityId>();
  for (const node of nodes) {
    wanted.add(node);
    for (const { server } of serversOfTool(node)) wanted.add(server);
  }
  const stored = new Map((await store.getMany([...wanted])).map((record) => [record.id, record]));
  const resolved = new Map<EntityId, ResolvedNode>();
  for (const node of nodes) {
    const found = resolve(node, stored);
    if (found !== undefined) resolved.set(node, found);
  }
  return resolved;
}

function resolve(node: EntityId, stored: ReadonlyMap<EntityId, StoredEntity>): ResolvedNode | undefined {
  const own = stored.get(node);
  if (own !== undefined) return { entity: own.entity, createdAt: own.createdAt, tool: null };
  for (const { server, name } of serversOfTool(node)) {
    const owner = stored.get(server);
    const tool = owner === undefined ? undefined : toolsOf(owner.entity).find((listed) => listed.name === name);
    if (owner !== undefined && tool !== undefined) return { entity: owner.entity, createdAt: owner.createdAt, tool };
  }
  return undefined;
}
