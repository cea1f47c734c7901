import type { StoredEntity } from '../../engines/store.ts';
import { serversOfTool } from '../../graph/tool-node.ts';
import type { Edge, Surroundings } from '../../model/edge.ts';
import type { EntityId } from '../../model/entity.ts';
import { CO_USE } from '../../recommend/co-use.ts';

/**
 * When each entity was registered. What was learned before is about another entity, which was deleted, and says nothing
 * about the one that is at its path now.
 */
export class RegistrationTimes {
  /** As stored: only those of learned edges are ever parsed. */
  readonly #times = new Map<EntityId, string>();

  set({ id, createdAt }: Pick<StoredEntity, 'id' | 'createdAt'>): void {
    this.#times.set(id, createdAt);
  }

  delete(id: EntityId): void {
    this.#times.delete(id);
  }

  /** The same surroundings without what was learned about predecessors. */
  withoutPredecessors(around: readonly Surroundings[]): readonly Surroundings[] {
    return around.map((one) => {
      if (!one.edges.some((edge) => this.#isStale(edge))) return one;
      const stale = one.edges.filter((edge) => this.#isStale(edge));
      return {
        node: one.node,
        edges: one.edges.filter((edge) => !stale.includes(edge)),
        degree: one.degree - stale.length,
        strength: Math.max(0, one.strength - stale.reduce((sum, edge) => sum + edge.weight * edge.confidence, 0)),
      };
    });
  }

  #isStale({ provenance, verifiedAt, source, target }: Edge): boolean {
    return provenance === CO_USE && (verifiedAt ?? 0) < Math.max(this.#since(source), this.#since(target));
  }

  /** A tool of a server is as old as its server. */
  #since(node: EntityId): number {
    const own = this.#times.get(node);
    if (own !== undefined) return Date.parse(own);
    for (const { server } of serversOfTool(node)) {
      const since = this.#times.get(server);
      if (since !== undefined) return Date.parse(since);
    }
    return 0;
  }
}
