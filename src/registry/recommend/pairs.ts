import { EDGE_TYPES, type Edge, otherEnd, type Surroundings } from '../../model/edge.ts';
import { type EntityId, splitEntityId } from '../../model/entity.ts';
import { compatibilityOf } from '../../recommend/compatibility.ts';
import type { OptionParts } from './options.ts';
import type { CompatibilityReport } from './stack-schemas.ts';

const EDGES_EACH = 200;
const MAX_SHARED = 3;

/** What is known between each two of some nodes. */
export interface Pairs {
  readonly warnings: readonly string[];
  between(a: EntityId, b: EntityId): readonly Edge[];
  compatibility(a: EntityId, b: EntityId): CompatibilityReport;
  all(nodes: readonly EntityId[]): readonly CompatibilityReport[];
}

export async function pairsOf(parts: OptionParts, nodes: readonly EntityId[]): Promise<Pairs> {
  const { around, warning } = await parts.graph.around(nodes, { types: EDGE_TYPES, limit: EDGES_EACH }, parts);
  const edgesOf = (node: EntityId): Surroundings['edges'] => around.get(node)?.edges ?? [];
  const between = (a: EntityId, b: EntityId) => edgesOf(a).filter((edge) => otherEnd(edge, a) === b);
  const neighbors = (node: EntityId) =>
    new Set(
      edgesOf(node)
        .filter(({ type }) => type !== 'RELATED_TO')
        .map((edge) => otherEnd(edge, node)),
    );
  const compatibility = (a: EntityId, b: EntityId): CompatibilityReport => {
    const others = neighbors(b);
    const shared = [...neighbors(a)].filter((node) => others.has(node)).slice(0, MAX_SHARED);
    const names = shared.map((node) => splitEntityId(node).path);
    return { a: splitEntityId(a).path, b: splitEntityId(b).path, ...compatibilityOf(between(a, b), names) };
  };
  return {
    warnings: warning === null ? [] : [warning],
    between,
    compatibility,
    all: (of) => of.flatMap((a, at) => of.slice(at + 1).map((b) => compatibility(a, b))),
  };
}
