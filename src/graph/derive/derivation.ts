import type { Entity, EntityId } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';

/**
 * Edges that follow from entities. A derivation keeps small indexes and makes edges when it is asked: nothing is computed
 * for pairs that no query needs, and a changed entity costs only itself.
 */
export interface Derivation {
  /** An entity that is not known, or was removed. */
  add(entity: Entity): void;
  /** Forgets an entity. One that is not known changes nothing. */
  remove(id: EntityId): void;
  /**
   * The edges of one node, at most MAX_DERIVED unless entities state them. Hidden entities and their tools do not exist: they take no place, and no edge
   * follows from them.
   */
  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[];
}

/** A tool that many others feed needs no longer list. */
export const MAX_DERIVED = 20;

/** The confidence in an edge by how it was derived. Those of mentions and dependencies are ToolPilot's. */
export const DERIVED = {
  schema: { weight: 1, confidence: 0.7, decay: 0 },
  virtual_server: { weight: 1, confidence: 0.6, decay: 0 },
  tag: { weight: 0.5, confidence: 0.4, decay: 0 },
  mention: { weight: 0.5, confidence: 0.4, decay: 0.01 },
  install: { weight: 0.85, confidence: 0.6, decay: 0 },
  dependency: { weight: 0.85, confidence: 0.9, decay: 0.005 },
  supersede: { weight: 1, confidence: 1, decay: 0 },
  lineage: { weight: 1, confidence: 1, decay: 0 },
} as const;

export function derivedEdge(
  provenance: keyof typeof DERIVED,
  { source, target, type, via }: Pick<Edge, 'source' | 'target' | 'type'> & { readonly via: string },
): Edge {
  return { source, target, type, ...DERIVED[provenance], verifiedAt: null, provenance, via };
}
