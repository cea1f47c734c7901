import type { JsonObject } from '../../model/json/json-object.ts';

/** Fields that only the owner of a registry may set. */
const CLAIMS: readonly string[] = ['owner', 'status', 'visibility', 'allowed_groups', 'is_enabled', 'trust_level'];

/**
 * An entity from a document of the network, without these fields. A local file of the user may set them.
 */
export function withoutClaims(entity: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(entity).filter(([field]) => !CLAIMS.includes(field)));
}
