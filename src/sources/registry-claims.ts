import type { JsonObject } from '../model/json-object.ts';

/** What a registry decides about an entity, by the names entities have for it. */
const CLAIMS: readonly string[] = ['owner', 'status', 'visibility', 'allowed_groups', 'is_enabled', 'trust_level'];

/**
 * An entity from a document of somebody else's, without what only the owner of a registry may say of it. A file that the
 * user wrote may say so, a page of the network may not.
 */
export function withoutClaims(entity: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entity).filter(([field]) => !CLAIMS.includes(field)));
}
