import type { Entity, EntityType } from '../model/entity.ts';
import { ALL, type GrantedKind, type GroupGrants } from './scope-documents.ts';

const KINDS: Readonly<Partial<Record<EntityType, GrantedKind>>> = {
  mcp_server: 'service',
  virtual_server: 'service',
  a2a_agent: 'agent',
  skill: 'skill',
};

export const GRANTED_TYPES = Object.keys(KINDS) as readonly EntityType[];

export interface GrantChange {
  readonly type: EntityType;
  readonly path: string;
  readonly visibility: 'group-restricted' | 'private';
  readonly allowed_groups: readonly string[];
}

/**
 * The visibility of an entity that gives the same groups access as the scope documents. Null: it stays as it is. An entity
 * never gets more readers than it has: a private one stays private, and of the groups of a restricted one those stay that the
 * documents name too. A kind that every group may list as a whole is left alone.
 */
export function planGrant(grants: GroupGrants, entity: Entity): GrantChange | null {
  const kind = KINDS[entity.type];
  if (kind === undefined || entity.visibility === 'private') return null;
  const lists = [...grants].map(([group, { lists }]) => [group, lists[kind]] as const);
  if (lists.every(([, names]) => names.size === 0) || lists.every(([, names]) => names.has(ALL))) return null;
  const { type, path, name } = entity;
  const calledAs = [ALL, path, path.replace(/^\//, ''), name];
  const listed = lists.filter(([, names]) => calledAs.some((one) => names.has(one))).map(([group]) => group);
  const groups = entity.visibility === 'public' ? listed : listed.filter((one) => entity.allowed_groups.includes(one));
  const allowed_groups = groups.sort();
  const before = entity.visibility === 'public' ? null : [...entity.allowed_groups].sort().join();
  const visibility = allowed_groups.length === 0 ? 'private' : 'group-restricted';
  return before === allowed_groups.join() ? null : { type, path, visibility, allowed_groups };
}
