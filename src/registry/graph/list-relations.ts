import { type Entity, type EntityId, type EntityType, entityId, splitEntityId } from '../../model/entity.ts';
import { decayedWeight, EDGE_TYPES, type Edge, otherEnd } from '../../model/entity-parts/edge.ts';
import { edgeWords } from '../../recommend/edge-words.ts';
import type { EntityRecord } from '../contract/answers.ts';
import type { RelationList, TypeEdges } from '../contract/edge-operations.ts';
import type { PrerequisiteParts } from './prerequisites.ts';
import { resolveNodes } from './resolve-nodes.ts';

const MAX_RELATIONS = 100;

/** Of one entity, for those who follow edges from one to the next. */
const MAX_FOLLOWED = 500;

/** The edges of these entities to others of their type. The caller reads both ends. At most MAX_FOLLOWED for each path. */
export async function listTypeEdges(
  { store, graph, readers }: Pick<PrerequisiteParts, 'store' | 'graph' | 'readers'>,
  type: EntityType,
  paths: readonly string[],
): Promise<TypeEdges> {
  const nodes = paths.map((path) => entityId(type, path));
  const { around, warning } = await graph.around(nodes, { types: EDGE_TYPES, limit: MAX_FOLLOWED }, { store, readers });
  const isOfType = (node: EntityId) => splitEntityId(node).type === type;
  const edges = new Map<string, Edge>();
  const warnings = warning === null ? [] : [warning];
  const cut = [...around.values()].find((one) => one.edges.length < one.degree);
  if (cut !== undefined) {
    warnings.push(`Only the strongest relations were followed: ${splitEntityId(cut.node).path} has ${cut.degree}.`);
  }
  for (const node of nodes) {
    for (const edge of around.get(node)?.edges ?? []) {
      const { source, target } = edge;
      const key = [source, target, edge.type, edge.provenance].join('\n');
      if (isOfType(source) && isOfType(target)) edges.set(key, edges.get(key) ?? edge);
    }
  }
  return { edges: [...edges.values()], warnings };
}

/** The relations of what a path names. Those to hidden, missing or forgotten entities are left out. */
export async function listRelations(
  { store, graph, readers, now }: PrerequisiteParts,
  find: (type: EntityType, path: string) => Promise<EntityRecord>,
  type: EntityType,
  path: string,
): Promise<RelationList> {
  const { entity } = await find(type, path);
  const node = entityId(entity.type, entity.path);
  const { around, warning } = await graph.around(
    [node],
    { types: EDGE_TYPES, limit: MAX_RELATIONS },
    { store, readers },
  );
  const edges = around.get(node)?.edges ?? [];
  const known = await resolveNodes(
    store,
    edges.map((edge) => otherEnd(edge, node)),
  );
  const at = now();
  const relations = edges.flatMap((edge) => {
    const other = otherEnd(edge, node);
    const found = known.get(other);
    if (found === undefined || isForgotten(found.entity)) return [];
    const { type: otherType, path: otherPath } = splitEntityId(other satisfies EntityId);
    return [
      {
        relation: edge.type,
        direction: edge.source === node ? ('out' as const) : ('in' as const),
        entity_type: otherType,
        path: otherPath,
        name: found.tool?.name ?? found.entity.name,
        weight: decayedWeight(edge, at),
        confidence: edge.confidence,
        provenance: edge.provenance,
        why: edgeWords(edge),
      },
    ];
  });
  return { entity_type: entity.type, path: entity.path, relations, warnings: warning === null ? [] : [warning] };
}

const isForgotten = (entity: Entity): boolean => entity.type === 'memory' && entity.deleted_at !== undefined;
