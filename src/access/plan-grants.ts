import type { EntityType, Visibility } from '../model/entity.ts';
import { ALL, type GrantedKind, type GroupGrant, type GroupGrants } from './scope-documents.ts';

const KINDS: Readonly<Partial<Record<EntityType, GrantedKind>>> = {
  mcp_server: 'service',
  virtual_server: 'service',
  a2a_agent: 'agent',
  skill: 'skill',
};

export const GRANTED_TYPES = Object.keys(KINDS) as readonly EntityType[];

/** What of an entity decides who may read it. */
export interface GrantedEntity {
  readonly type: EntityType;
  readonly path: string;
  readonly name: string;
  readonly visibility: Visibility;
  readonly allowed_groups: readonly string[];
  readonly tools?: readonly { readonly name: string }[];
  readonly tool_mappings?: readonly { readonly tool_name: string; readonly alias?: string | undefined }[];
}

export interface GrantChange {
  readonly type: EntityType;
  readonly path: string;
  readonly visibility: 'group-restricted' | 'private';
  readonly allowed_groups: readonly string[];
}

export interface GrantOptions {
  /**
   * What becomes of a kind that no group may list: `keep` leaves it alone, for documents that are not about it. `private` is
   * for documents that are all there is. Default `keep`.
   */
  readonly unmentioned?: 'keep' | 'private';
}

/**
 * The visibility of an entity that gives the same groups access as the scope documents. Null: it stays as it is. An entity
 * never gets more readers than it has: a private one stays private, and of the groups of a restricted one those stay that the
 * documents name too. A group that may use only some tools of a server is no reader of it: here its readers see all of them.
 * A kind that every group may list as a whole is left alone.
 */
export function planGrant(
  grants: GroupGrants,
  entity: GrantedEntity,
  { unmentioned = 'keep' }: GrantOptions = {},
): GrantChange | null {
  const kind = KINDS[entity.type];
  if (kind === undefined || entity.visibility === 'private') return null;
  const all = [...grants];
  if (unmentioned === 'keep' && all.every(([, { lists }]) => lists[kind].size === 0)) return null;
  const listing = all.filter(([, grant]) => isListed(grant, kind, entity) && usesAllTools(grant, entity));
  if (listing.length === all.length && listing.every(([, { lists }]) => lists[kind].has(ALL))) return null;
  const { type, path } = entity;
  const listed = listing.map(([group]) => group);
  const groups = entity.visibility === 'public' ? listed : listed.filter((one) => entity.allowed_groups.includes(one));
  const allowed_groups = groups.sort();
  const before = entity.visibility === 'public' ? null : [...entity.allowed_groups].sort().join();
  const visibility = allowed_groups.length === 0 ? 'private' : 'group-restricted';
  return before === allowed_groups.join() ? null : { type, path, visibility, allowed_groups };
}

/** The groups that may list a server and use only some of its tools. */
export function partialGroups(grants: GroupGrants, entity: GrantedEntity): readonly string[] {
  const kind = KINDS[entity.type];
  if (kind === undefined) return [];
  return [...grants].flatMap(([group, grant]) =>
    isListed(grant, kind, entity) && !usesAllTools(grant, entity) ? [group] : [],
  );
}

const namesOf = ({ path, name }: GrantedEntity): readonly string[] => [ALL, path, path.replace(/^\//, ''), name];

const isListed = ({ lists }: GroupGrant, kind: GrantedKind, entity: GrantedEntity): boolean =>
  namesOf(entity).some((name) => lists[kind].has(name));

function usesAllTools({ wholeServers, someTools }: GroupGrant, entity: GrantedEntity): boolean {
  const names = namesOf(entity);
  const named = names.flatMap((name) => someTools.get(name) ?? []);
  if (named.length === 0 || names.some((name) => wholeServers.has(name))) return true;
  const { tools = [], tool_mappings = [] } = entity;
  const own = [...tools.map(({ name }) => name), ...tool_mappings.map(({ alias, tool_name }) => alias ?? tool_name)];
  return own.every((tool) => named.some((some) => some.has(tool)));
}
