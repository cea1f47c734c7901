/** The names that every surface shows. This file imports nothing: the web page and `--help` load it too. */

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

/** The states of an entity in its life. */
export const STATUSES = ['active', 'beta', 'deprecated', 'draft'] as const;
/** Where an entity is in its life, such as `active` or `deprecated`. */
export type Status = (typeof STATUSES)[number];

export const VISIBILITIES = ['public', 'private', 'group-restricted'] as const;
/** Who may read an entity. */
export type Visibility = (typeof VISIBILITIES)[number];

/** The rankings that a request can name. */
export const PRESET_NAMES = [
  'hybrid',
  'registry',
  'registry-legacy',
  'lexical',
  'linear',
  'adaptive',
  'anchored',
  'documents',
  'memory',
  'memory-legacy',
  'memory-rrf',
  'keyword',
  'vector',
  'rrf',
  'recommend',
  'recommend-legacy',
] as const;
/** The name of a ranking. */
export type PresetName = (typeof PRESET_NAMES)[number];
