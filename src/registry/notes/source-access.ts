import type { Entity } from '../../model/entity.ts';

/** Who may read an entity, and whether it is in use, as its source says. */
export type SourceAccess = Pick<Entity, 'visibility' | 'allowed_groups' | 'is_enabled'>;

/**
 * The kind of sources that say who may read their entities: a registry that is moved, and used beside this one meanwhile. Others
 * know nothing of the readers here.
 */
export const saysAccess = (kind: string): boolean => kind === 'mongodb';

export const accessOf = ({ visibility, allowed_groups, is_enabled }: Entity): SourceAccess => ({
  visibility,
  allowed_groups,
  is_enabled,
});

/**
 * The access to a stored entity after its source was read again. What nobody has changed here follows the source. What was
 * changed here stays, but never has more readers than the source gives, and is not enabled where the source disables it.
 * `before` is what the source said last; undefined if it never said anything.
 */
export function accessAfter(stored: SourceAccess, said: SourceAccess, before: SourceAccess | undefined): SourceAccess {
  const follows = before !== undefined && readersOf(stored) === readersOf(before);
  const readers = follows ? said : fewerReaders(stored, said);
  const is_enabled = stored.is_enabled === before?.is_enabled ? said.is_enabled : stored.is_enabled && said.is_enabled;
  return { visibility: readers.visibility, allowed_groups: readers.allowed_groups, is_enabled };
}

const readersOf = ({ visibility, allowed_groups }: SourceAccess): string =>
  visibility === 'group-restricted' ? [...allowed_groups].sort().join('\n') : visibility;

type Readers = Pick<SourceAccess, 'visibility' | 'allowed_groups'>;

function fewerReaders(a: Readers, b: Readers): Readers {
  if (a.visibility === 'private' || b.visibility === 'public') return a;
  if (b.visibility === 'private' || a.visibility === 'public') return b;
  const allowed_groups = a.allowed_groups.filter((group) => b.allowed_groups.includes(group));
  return { visibility: allowed_groups.length === 0 ? 'private' : 'group-restricted', allowed_groups };
}
