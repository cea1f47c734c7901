import { ENTITY_TYPES, type EntityType, isEntityType } from './names.ts';

/** `type:path`. A path is unique within its type. */
export type EntityId = string & { readonly __brand: 'EntityId' };

export function entityId(type: EntityType, path: string): EntityId {
  return `${type}:${path}` as EntityId;
}

export function idOf(entity: { readonly type: EntityType; readonly path: string }): EntityId {
  return entityId(entity.type, entity.path);
}

export function splitEntityId(id: EntityId): { readonly type: EntityType; readonly path: string } {
  const colon = id.indexOf(':');
  const type = id.slice(0, colon) as EntityType;
  // Interned: tens of thousands of equal strings would take memory, and time to compare.
  return { type: ENTITY_TYPES[ENTITY_TYPES.indexOf(type)] ?? type, path: id.slice(colon + 1) };
}

/** Whether a text has the format of an entity id. */
export function isEntityId(text: string): boolean {
  const colon = text.indexOf(':');
  return colon !== -1 && colon + 1 < text.length && isEntityType(text.slice(0, colon));
}
