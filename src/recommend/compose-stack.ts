import type { EntityId } from '../model/entity.ts';
import { type Edge, edgeStrength } from '../model/entity-parts/edge.ts';

export interface LayerCandidate {
  readonly node: EntityId;
  readonly score: number;
}

/** How an edge to something chosen changes a score. The numbers are ToolPilot's. */
function factorOf(edge: Edge, now: number): number {
  switch (edge.type) {
    case 'CONFLICTS_WITH':
      return CONFLICTING;
    case 'REPLACES':
      return REPEATED;
    case 'INTEGRATES_WITH':
    case 'REQUIRES':
    case 'PRODUCES_FOR':
      return 1 + 0.3 * Math.min(1, edgeStrength(edge, now));
    case 'COMPATIBLE_WITH':
      return 1.2;
    case 'POPULAR_WITH':
      return 1.1;
    case 'RELATED_TO':
      return 1;
  }
}

const CONFLICTING = 0.05;
/** What is chosen already, or replaces it, covers nothing new. */
const REPEATED = 0.15;

/** What is known about pairs of candidates. */
export interface KnownPairs {
  between(a: EntityId, b: EntityId): readonly Edge[];
  /** Whether their versions exclude each other. */
  versionsConflict(a: EntityId, b: EntityId): boolean;
}

/**
 * One choice for each layer, in order: the best score, changed by the edges to what is chosen. A layer without candidates has
 * no choice. `existing` is chosen already.
 */
export function composeStack(
  layers: readonly (readonly LayerCandidate[])[],
  { between, versionsConflict }: KnownPairs,
  now: number,
  existing: readonly EntityId[] = [],
): readonly (LayerCandidate | null)[] {
  const chosen = [...existing];
  return layers.map((candidates) => {
    let best: { readonly candidate: LayerCandidate; readonly score: number } | null = null;
    for (const candidate of candidates) {
      let { score } = candidate;
      for (const node of chosen) {
        if (node === candidate.node) score *= REPEATED;
        else if (versionsConflict(candidate.node, node)) score *= CONFLICTING;
        for (const edge of between(candidate.node, node)) score *= factorOf(edge, now);
      }
      if (best === null || score > best.score) best = { candidate, score };
    }
    if (best !== null) chosen.push(best.candidate.node);
    return best?.candidate ?? null;
  });
}

const MAX_NEEDS = 8;

/** The needs in a use case, at commas, semicolons, sentence ends, "and" and "then". A single word belongs to the need before. */
export function needsIn(useCase: string): readonly string[] {
  const parts = useCase.split(/[,;.\n]+|\band then\b|\band\b|\bthen\b/i).map((part) => part.trim());
  const needs = parts.filter((part) => part.split(/\s+/).length >= 2);
  return needs.length === 0 ? [useCase.trim()] : needs.slice(0, MAX_NEEDS);
}
