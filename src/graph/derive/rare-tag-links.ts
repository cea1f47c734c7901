import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { foldTag } from '../../model/query/filter.ts';
import type { Derivation } from './derivation.ts';
import { FirstEdges } from './first-edges.ts';
import { GroupIndex } from './group-index.ts';

/** A tag of more entities says what they are, not that they belong together. */
const MAX_HOLDERS = 5;

/** Entities that share a rare tag. */
export class RareTagLinks implements Derivation {
  readonly #holders = new GroupIndex<EntityId>();
  readonly #tags = new Map<EntityId, readonly string[]>();

  add(entity: Entity): void {
    const tags = [...new Set(entity.tags.map(foldTag))];
    if (tags.length > 0) this.#tags.set(idOf(entity), tags);
    for (const tag of tags) this.#holders.add(tag, idOf(entity));
  }

  remove(id: EntityId): void {
    for (const tag of this.#tags.get(id) ?? []) this.#holders.delete(tag, id);
    this.#tags.delete(id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const edges = new FirstEdges(isVisible);
    for (const via of this.#tags.get(node) ?? []) {
      const holders = [...this.#holders.get(via)].filter(isVisible);
      if (holders.length > MAX_HOLDERS) continue;
      for (const other of holders) edges.add(node < other ? node : other, node < other ? other : node, via);
    }
    return edges.take('tag', 'RELATED_TO');
  }
}
