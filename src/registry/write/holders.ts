import { isDeepStrictEqual } from 'node:util';
import { type Entity, type EntityId, entityId, idOf } from '../../model/entity.ts';
import { collectionPath } from '../../model/entity-types/document.ts';
import { barePath } from '../../model/text/bare-path.ts';

/**
 * Entities that hold others, and what an entity says about entities of others. To become part of one, or to take its place, an
 * entity needs the right to change it: else anyone could add to a collection that everyone trusts.
 */
export interface Claim {
  /** What must be changeable. The first of them that is there counts. */
  readonly ids: readonly EntityId[];
  /** The field that says so. */
  readonly field: 'files' | 'server_path' | 'supersedes';
}

function claimsOf(entity: Entity): readonly Claim[] {
  switch (entity.type) {
    case 'document':
      return collectionsOf(entity).map((id) => ({ ids: [id], field: 'files' }));
    case 'tool': {
      const bare = barePath(entity.server_path ?? '');
      if (bare === '') return [];
      const ids = [`/${bare}`, bare, `/${bare}/`].flatMap((path) =>
        (['mcp_server', 'virtual_server'] as const).map((type) => entityId(type, path)),
      );
      return [{ ids, field: 'server_path' }];
    }
    case 'memory':
      return entity.supersedes.map((path) => ({ ids: [entityId('memory', path)], field: 'supersedes' }));
    default:
      return [];
  }
}

const collectionsOf = ({ files }: Extract<Entity, { type: 'document' }>): readonly EntityId[] => [
  ...new Set(files.map(({ collection }) => entityId('document', collectionPath(collection)))),
];

/** What an entity claims now and did not before. */
export function newClaims(entity: Entity, before: Entity | undefined): readonly Claim[] {
  const had = new Set((before === undefined ? [] : claimsOf(before)).flatMap(({ ids }) => ids));
  return claimsOf(entity).filter(({ ids }) => !ids.every((id) => had.has(id)));
}

/**
 * Whether a holder alone decides about one of its parts: a document of no other collection, or one that only leaves it.
 * `next` is the part as it will be; undefined if it is deleted.
 */
export function isPartOf(holder: Entity, stored: Entity, next: Entity | undefined): boolean {
  if (stored.type !== 'document') return false;
  const id = idOf(holder);
  const collections = collectionsOf(stored);
  if (!collections.includes(id)) return false;
  if (collections.length === 1) return true;
  if (next?.type !== 'document') return false;
  const files = stored.files.filter(({ collection }) => entityId('document', collectionPath(collection)) !== id);
  return isDeepStrictEqual({ ...next }, { ...stored, files });
}
