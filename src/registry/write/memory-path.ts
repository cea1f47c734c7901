import { createHash } from 'node:crypto';
import type { Caller } from '../../model/caller/caller.ts';
import type { Entity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';

/** `/HASH`, `/NAMESPACE/HASH` or `/~OWNER/HASH`: where memories are stored. A path without its first slash finds the same. */
const CONTENT_PATH = /^\/?(?:(.+)\/)?[0-9a-f]{64}$/;

const OWN = '~';
const OWNER_CHARS = 32;

/** In the path of a memory that is its owner's alone. A digest: a name may have any letters. */
export const ownFolder = (owner: string): string =>
  OWN + createHash('sha256').update(owner).digest('hex').slice(0, OWNER_CHARS);

/**
 * The path of a stored memory follows from its content, so a path that is taken says what somebody has stored. Only those who
 * may read the memory may find it taken: a caller who may write to `/HASH` may read what is there, so do the members of a namespace,
 * and nobody but its owner writes to `/~OWNER`.
 */
export function checkMemoryPath({ readers, name }: Caller, entity: Entity): void {
  const found = entity.type === 'memory' ? CONTENT_PATH.exec(entity.path) : null;
  if (found === null) return;
  const [, namespace] = found;
  const { visibility, allowed_groups, owner = name } = entity;
  if (namespace?.startsWith(OWN)) {
    const isOwn = owner !== undefined && namespace === ownFolder(owner) && (readers === null || owner === name);
    if (isOwn && visibility === 'private') return;
    throw isOwn
      ? new DowserError('INVALID_REQUEST', `A memory at '${entity.path}' cannot be ${visibility}.`, {
          field: 'visibility',
          hint: 'Store it in a namespace, or at another path.',
        })
      : new DowserError('FORBIDDEN', `You are not the owner of ${showValue(namespace)}.`, {
          field: 'path',
          hint: 'Leave the path out, or choose another one.',
        });
  }
  if (namespace !== undefined && readers !== null && !readers.includes(`group:${namespace}`)) {
    throw new DowserError('FORBIDDEN', `You are not in the group ${showValue(namespace)}.`, {
      field: 'namespace',
      hint: 'Use a namespace of one of your groups, or none.',
    });
  }
  const isShared = visibility === 'group-restricted' && namespace !== undefined && allowed_groups.includes(namespace);
  if (visibility === 'public' || isShared) return;
  throw new DowserError('INVALID_REQUEST', `A memory at '${entity.path}' cannot be ${visibility}.`, {
    field: 'visibility',
    hint: `Others learn that this content is stored if its hash is the path. Choose another path, such as '/notes/1'.`,
  });
}
