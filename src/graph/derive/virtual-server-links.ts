import { type Entity, type EntityId, entityId, idOf, splitEntityId, type VirtualServer } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import type { Derivation } from './derivation.ts';
import { FirstEdges } from './first-edges.ts';
import { GroupIndex } from './group-index.ts';

/** Somebody chose these tools to be used together. */
export class VirtualServerLinks implements Derivation {
  readonly #servers = new Map<EntityId, readonly EntityId[]>();
  readonly #byTool = new GroupIndex<EntityId>();

  add(entity: Entity): void {
    if (entity.type !== 'virtual_server') return;
    const nodes = toolNodes(entity);
    this.#servers.set(idOf(entity), nodes);
    for (const node of nodes) this.#byTool.add(node, idOf(entity));
  }

  remove(id: EntityId): void {
    for (const node of this.#servers.get(id) ?? []) this.#byTool.delete(node, id);
    this.#servers.delete(id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const edges = new FirstEdges(isVisible);
    for (const server of this.#byTool.get(node)) {
      if (!isVisible(server)) continue;
      const via = splitEntityId(server).path;
      for (const other of this.#servers.get(server) ?? []) {
        edges.add(node < other ? node : other, node < other ? other : node, via);
      }
    }
    return edges.take('virtual_server', 'INTEGRATES_WITH');
  }
}

function toolNodes({ tool_mappings }: VirtualServer): readonly EntityId[] {
  return tool_mappings.map(({ backend_server_path: path, tool_name }) =>
    entityId('tool', `${path.startsWith('/') ? path : `/${path}`}#${tool_name}`),
  );
}
