import { type EntityId, entityId, splitEntityId } from '../../../model/entity.ts';
import type { Surroundings } from '../../../model/entity-parts/edge.ts';
import type { FoundUnit, Retrieved } from '../../retrieval/retrieval.ts';
import type { Candidate } from './candidate.ts';

/** The edges between candidates, and the time that they are judged at. */
export interface GraphLinks {
  readonly now: number;
  readonly around: ReadonlyMap<EntityId, Surroundings>;
}

/** The node of a unit: a tool of a server is a node itself, everything else belongs to its entity. */
function nodeOf({ kind, type, entity, title }: FoundUnit): EntityId {
  return kind === 'tool' && type !== 'tool' ? entityId('tool', `${splitEntityId(entity).path}#${title}`) : entity;
}

/** The nodes that a retrieval found: entities, and tools of servers. */
export function nodesIn({ units }: Retrieved): readonly EntityId[] {
  const nodes = new Set<EntityId>();
  for (const found of units) {
    nodes.add(found.entity);
    nodes.add(nodeOf(found));
  }
  return [...nodes];
}

/** The nodes of a result that an answer shows: itself and, of a server, the tool that matched. */
export function shownNodes({ type, entity, best }: Candidate): readonly EntityId[] {
  return type === 'tool' ? [nodeOf(best.found)] : [entity, nodeOf(best.found)];
}

/** More tools of one server add nothing. */
export const MAX_TOOLS = 5;

/** The nodes of a result: a tool, or an entity with its matching tools. */
export function nodesOf({ type, entity, best, units }: Candidate): readonly EntityId[] {
  if (type === 'tool') return [nodeOf(best.found)];
  const nodes = new Set<EntityId>([entity, nodeOf(best.found)]);
  for (const { found } of units) if (nodes.size <= MAX_TOOLS) nodes.add(nodeOf(found));
  return [...nodes];
}
