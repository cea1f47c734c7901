import type { Edge } from '../../model/edge.ts';
import { type Entity, type EntityId, entityId, idOf, splitEntityId, type VirtualServer } from '../../model/entity.ts';
import { type Derivation, derivedEdge, MAX_DERIVED } from './derivation.ts';
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

  around(node: EntityId): readonly Edge[] {
    const edges = new Map<EntityId, Edge>();
    for (const server of this.#byTool.get(node)) {
      const via = splitEntityId(server).path;
      for (const other of this.#servers.get(server) ?? []) {
        if (other === node || edges.has(other) || edges.size >= MAX_DERIVED) continue;
        const [source, target] = node < other ? [node, other] : [other, node];
        edges.set(other, derivedEdge('virtual_server', { source, target, type: 'INTEGRATES_WITH', via }));
      }
    }
    return [...edges.values()];
  }
}

function toolNodes({ tool_mappings }: VirtualServer): readonly EntityId[] {
  return tool_mappings.map(({ backend_server_path: path, tool_name }) =>
    entityId('tool', `${path.startsWith('/') ? path : `/${path}`}#${tool_name}`),
  );
}
