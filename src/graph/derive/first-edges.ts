import type { EntityId } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { type DERIVED, derivedEdge, MAX_DERIVED } from './derivation.ts';

/** One edge by what it joins: of two between the same nodes, the one with the first `via` is kept. */
type Joined = Pick<Edge, 'source' | 'target'> & { readonly via: string };

/**
 * The edges of one node, at most MAX_DERIVED: the first ones by their ends. Which ones these are does not depend on the order
 * of writes, nor on entities that the caller may not see.
 */
export class FirstEdges {
  readonly #isVisible: (node: EntityId) => boolean;
  /** Sorted by ends. */
  readonly #kept: Joined[] = [];

  constructor(isVisible: (node: EntityId) => boolean) {
    this.#isVisible = isVisible;
  }

  /** An edge to itself, or one with a hidden end, is left out. */
  add(source: EntityId, target: EntityId, via: string): void {
    if (source === target) return;
    const edge = { source, target, via };
    const kept = this.#kept;
    let at = kept.length;
    while (at > 0 && compareEnds(edge, kept[at - 1]!) < 0) at--;
    const before = kept[at - 1];
    const isKnown = before !== undefined && compareEnds(edge, before) === 0;
    if ((isKnown && before.via <= via) || (!isKnown && at >= MAX_DERIVED)) return;
    if (!this.#isVisible(source) || !this.#isVisible(target)) return;
    if (isKnown) kept[at - 1] = edge;
    else kept.splice(at, 0, edge);
    if (kept.length > MAX_DERIVED) kept.pop();
  }

  take(provenance: keyof typeof DERIVED, type: Edge['type']): readonly Edge[] {
    return this.#kept.map((edge) => derivedEdge(provenance, { ...edge, type }));
  }
}

function compareEnds(a: Joined, b: Joined): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.target === b.target ? 0 : a.target < b.target ? -1 : 1;
}
