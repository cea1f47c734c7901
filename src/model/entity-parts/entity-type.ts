/** The entity types, by their names in the API. `entity-types/` describes each of them. */
export const ENTITY_TYPES = [
  'mcp_server',
  'tool',
  'virtual_server',
  'a2a_agent',
  'skill',
  'package',
  'memory',
  'document',
] as const;
/** A type of entities, such as `mcp_server`. */
export type EntityType = (typeof ENTITY_TYPES)[number];

export function isEntityType(value: unknown): value is EntityType {
  return (ENTITY_TYPES as readonly unknown[]).includes(value);
}
