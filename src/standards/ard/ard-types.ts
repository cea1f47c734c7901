import type { Entity, EntityOf, EntityType } from '../../model/entity.ts';
import { ENTITY_TYPES } from '../../model/entity-parts/names.ts';
import { toolsOf } from '../../model/entity-types/table.ts';

export const AGENT_CARD_TYPE = 'application/a2a-agent-card+json';
export const AI_CATALOG_TYPE = 'application/ai-catalog+json';
export const SERVER_CARD_TYPE = 'application/mcp-server-card+json';

/** A tool of a server, or a skill of an agent. */
interface ArdPart {
  readonly name: string;
  readonly examples?: readonly string[];
}

interface ArdType<E> {
  /** For identifiers: `urn:air:<domain>:<namespace>:<name>`. */
  readonly namespace: string;
  readonly mediaType: string;
  parts(entity: E): readonly ArdPart[];
}

/** The ARD fields of each entity type; null for a type without an ARD media type. */
export const ARD_TYPES = {
  mcp_server: { namespace: 'server', mediaType: SERVER_CARD_TYPE, parts: ({ tools }) => tools },
  tool: null,
  virtual_server: { namespace: 'virtual-server', mediaType: SERVER_CARD_TYPE, parts: toolsOf },
  a2a_agent: { namespace: 'agent', mediaType: AGENT_CARD_TYPE, parts: ({ skills }) => skills },
  skill: { namespace: 'skill', mediaType: 'application/ai-skill+md', parts: () => [] },
  package: null,
  memory: null,
  document: null,
} as const satisfies { readonly [T in EntityType]: ArdType<EntityOf<T>> | null };

export type DiscoverableType = {
  [T in EntityType]: (typeof ARD_TYPES)[T] extends null ? never : T;
}[EntityType];
export const DISCOVERABLE_TYPES = ENTITY_TYPES.filter((type): type is DiscoverableType => ARD_TYPES[type] !== null);
export type Discoverable = EntityOf<DiscoverableType>;

export function isDiscoverable(entity: Entity): entity is Discoverable {
  return ARD_TYPES[entity.type] !== null;
}

export const ardPartsOf = <E extends Discoverable>(entity: E): readonly ArdPart[] =>
  (ARD_TYPES[entity.type] as ArdType<E>).parts(entity);
