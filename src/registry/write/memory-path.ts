import type { Caller } from '../../model/caller.ts';
import type { Entity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';

/** `/HASH`, or `/NAMESPACE/HASH`: where memories are stored. A path without its first slash finds the same. */
const CONTENT_PATH = /^\/?(?:(.+)\/)?[0-9a-f]{64}$/;

/**
 * The path of a stored memory follows from its content, so a path that is taken says what somebody has stored. Only those who
 * may read the memory may find it taken: a caller who may write to `/HASH` may read what is there, and so do the members of a namespace.
 */
export function checkMemoryPath({ readers }: Caller, entity: Entity): void {
  const found = entity.type === 'memory' ? CONTENT_PATH.exec(entity.path) : null;
  if (found === null) return;
  const [, namespace] = found;
  const { visibility, allowed_groups } = entity;
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
