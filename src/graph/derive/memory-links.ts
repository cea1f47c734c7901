import { type Entity, type EntityId, entityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { type Derivation, derivedEdge } from './derivation.ts';
import { GroupIndex } from './group-index.ts';

/** What memories say about each other: which one superseded another, and which were made from which. */
export class MemoryLinks implements Derivation {
  readonly #own = new Map<EntityId, readonly Edge[]>();
  readonly #toOther = new GroupIndex<EntityId>();

  add(entity: Entity): void {
    if (entity.type !== 'memory') return;
    const id = idOf(entity);
    const { superseded, derived_from } = entity;
    const edges = derived_from.map((name) =>
      derivedEdge('lineage', { source: id, target: originId(name), type: 'RELATED_TO', via: name }),
    );
    if (superseded !== undefined) {
      const { by, reason } = superseded;
      edges.push(
        derivedEdge('supersede', { source: entityId('memory', by), target: id, type: 'REPLACES', via: reason }),
      );
    }
    const real = edges.filter(({ source, target }) => source !== target);
    if (real.length === 0) return;
    this.#own.set(id, real);
    for (const edge of real) this.#toOther.add(otherOf(edge, id), id);
  }

  remove(id: EntityId): void {
    for (const edge of this.#own.get(id) ?? []) this.#toOther.delete(otherOf(edge, id), id);
    this.#own.delete(id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const edges = [...(this.#own.get(node) ?? [])];
    for (const other of this.#toOther.get(node)) {
      for (const edge of this.#own.get(other) ?? []) if (otherOf(edge, other) === node) edges.push(edge);
    }
    return edges.filter(({ source, target }) => isVisible(source) && isVisible(target));
  }
}

/** `derived_from` names a memory by its hash, in a namespace by its path. */
const originId = (name: string): EntityId => entityId('memory', name.startsWith('/') ? name : `/${name}`);

const otherOf = ({ source, target }: Edge, id: EntityId): EntityId => (source === id ? target : source);
