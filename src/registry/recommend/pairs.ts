import { type Entity, type EntityId, splitEntityId } from '../../model/entity.ts';
import { EDGE_TYPES, type Edge, otherEnd, type Surroundings } from '../../model/entity-parts/edge.ts';
import { compatibilityOf, type PeerFact } from '../../recommend/compatibility.ts';
import { type PackageVersions, peerVerdict } from '../../recommend/versions/peer-versions.ts';
import type { CompatibilityReport } from '../contract/stack-schemas.ts';
import { resolveNodes } from '../graph/resolve-nodes.ts';
import type { OptionParts } from './options.ts';

const EDGES_EACH = 200;
const MAX_SHARED = 3;

/** What is known between each two of some nodes. */
export interface Pairs {
  readonly warnings: readonly string[];
  between(a: EntityId, b: EntityId): readonly Edge[];
  versionsConflict(a: EntityId, b: EntityId): boolean;
  compatibility(a: EntityId, b: EntityId): CompatibilityReport;
  all(nodes: readonly EntityId[]): readonly CompatibilityReport[];
}

/** `versions`: those that are asked about. Default: the newest ones. */
export async function pairsOf(
  parts: OptionParts,
  nodes: readonly EntityId[],
  versions: ReadonlyMap<EntityId, string> = new Map(),
): Promise<Pairs> {
  const { around, warning } = await parts.graph.around(nodes, { types: EDGE_TYPES, limit: EDGES_EACH }, parts);
  const known = await resolveNodes(parts.store, nodes);
  const edgesOf = (node: EntityId): Surroundings['edges'] => around.get(node)?.edges ?? [];
  const between = (a: EntityId, b: EntityId) => edgesOf(a).filter((edge) => otherEnd(edge, a) === b);
  const neighbors = (node: EntityId) =>
    new Set(
      edgesOf(node)
        .filter(({ type }) => type !== 'RELATED_TO')
        .map((edge) => otherEnd(edge, node)),
    );
  const versionsOf = (node: EntityId) => packageVersions(known.get(node)?.entity, versions.get(node));
  const peersOf = (own: EntityId, other: EntityId): readonly PeerFact[] => {
    const [mine, theirs] = [versionsOf(own), versionsOf(other)];
    const verdict = mine === null || theirs === null ? null : peerVerdict(mine, theirs);
    return verdict === null ? [] : [{ ...verdict, node: other }];
  };
  const compatibility = (a: EntityId, b: EntityId): CompatibilityReport => {
    const others = neighbors(b);
    const shared = [...neighbors(a)].filter((node) => others.has(node)).slice(0, MAX_SHARED);
    const names = shared.map((node) => splitEntityId(node).path);
    const found = compatibilityOf(between(a, b), names, [...peersOf(a, b), ...peersOf(b, a)]);
    const fitting = Array.from(found.versions, ([node, version]) => [splitEntityId(node).path, version] as const);
    return { a: splitEntityId(a).path, b: splitEntityId(b).path, ...found, versions: Object.fromEntries(fitting) };
  };
  return {
    warnings: warning === null ? [] : [warning],
    between,
    versionsConflict: (a, b) => [...peersOf(a, b), ...peersOf(b, a)].some(({ verdict }) => verdict === 'conflicts'),
    compatibility,
    all: (of) => of.flatMap((a, at) => of.slice(at + 1).map((b) => compatibility(a, b))),
  };
}

/** A version that is asked about is the only one. */
function packageVersions(entity: Entity | undefined, asked: string | undefined): PackageVersions | null {
  if (entity?.type !== 'package') return null;
  const { package_name, name, ecosystem = '', version = null, versions = [], peers = [] } = entity;
  return {
    name: package_name ?? name,
    ecosystem: ecosystem.toLowerCase(),
    version: asked ?? version,
    versions: asked === undefined ? versions : [],
    peers,
  };
}
