import { type Entity, type EntityId, entityId, idOf } from '../../model/entity.ts';
import { type Edge, type Relation, verifiedAtOf } from '../../model/entity-parts/edge.ts';
import { isEntityId } from '../../model/entity-parts/entity-id.ts';
import type { Derivation } from './derivation.ts';
import { GroupIndex } from './group-index.ts';

/** What entities say themselves. */
export class GivenRelations implements Derivation {
  readonly #out = new Map<EntityId, readonly Edge[]>();
  readonly #in = new GroupIndex<EntityId>();

  add(entity: Entity): void {
    const id = idOf(entity);
    const edges = (entity.relations ?? []).map((relation) => givenEdge(entity, relation));
    const real = edges.filter(({ source, target }) => source !== target);
    if (real.length === 0) return;
    this.#out.set(id, real);
    for (const { target } of real) this.#in.add(target, id);
  }

  remove(id: EntityId): void {
    for (const { target } of this.#out.get(id) ?? []) this.#in.delete(target, id);
    this.#out.delete(id);
  }

  around(node: EntityId): readonly Edge[] {
    const edges = [...(this.#out.get(node) ?? [])];
    for (const source of this.#in.get(node)) {
      for (const edge of this.#out.get(source) ?? []) if (edge.target === node) edges.push(edge);
    }
    return edges;
  }
}

/** A target without a type is of the same type. */
export function givenEdge(entity: Entity, relation: Relation): Edge {
  const { type, target, weight, confidence, decay } = relation;
  return {
    source: idOf(entity),
    target: isEntityId(target) ? (target as EntityId) : entityId(entity.type, target),
    type,
    weight,
    confidence,
    decay,
    verifiedAt: verifiedAtOf(relation),
    provenance: 'given',
  };
}
