import type { Scope } from '../model/caller.ts';
import { DowserError } from '../model/errors.ts';
import { isJsonObject, type JsonObject } from '../model/json-object.ts';

/** The kinds of entities that scope documents grant. */
export const GRANTED_KINDS = ['service', 'agent', 'skill'] as const;
export type GrantedKind = (typeof GRANTED_KINDS)[number];

/** What one group may do, and which entities it may list, by path or name. `all` is every one. */
export interface GroupGrant {
  readonly scopes: Set<Scope>;
  readonly lists: Readonly<Record<GrantedKind, Set<string>>>;
  /** Servers of which it may use some tools only. */
  readonly partial: Set<string>;
}
export type GroupGrants = ReadonlyMap<string, GroupGrant>;

export const ALL = 'all';

interface GrantedServer {
  readonly name: string;
  /** It lists the tools that may be used, and not all of them. */
  readonly isPartial: boolean;
}

interface ScopeDocument {
  readonly name: string;
  readonly groups: readonly string[];
  /** By permission, such as `list_service`. */
  readonly permissions: JsonObject;
  /** The servers that its holders may use. */
  readonly servers: readonly GrantedServer[];
}

const texts = (value: unknown): readonly string[] =>
  [value].flat().flatMap((item) => (typeof item === 'string' ? [item] : []));
const everything = (name: string): string => (name === '*' ? ALL : name);
const isPartial = ({ tools }: JsonObject): boolean =>
  Array.isArray(tools) && !texts(tools).some((tool) => everything(tool) === ALL);
const serversOf = (rules: unknown): readonly GrantedServer[] => {
  const objects = Array.isArray(rules) ? rules.filter(isJsonObject) : [];
  return objects.flatMap((rule) => texts(rule.server).map((name) => ({ name, isPartial: isPartial(rule) })));
};

/**
 * Reads the scopes of the MCP gateway registry: the file `scopes.yml`, or the documents of its database, one or a list. Throws
 * INVALID_FILE.
 */
export function readScopeDocuments(value: unknown): GroupGrants {
  const documents = isJsonObject(value) && isJsonObject(value.group_mappings) ? fromFile(value) : fromDatabase(value);
  const grants = new Map<string, GroupGrant>();
  for (const { groups, permissions, servers } of documents) {
    for (const group of groups) {
      const grant = grants.get(group) ?? { scopes: new Set(), lists: emptyLists(), partial: new Set() };
      grants.set(group, grant);
      addPermissions(grant, permissions);
      for (const { name, isPartial } of servers) {
        grant.scopes.add('read');
        grant.lists.service.add(everything(name));
        if (isPartial) grant.partial.add(name);
      }
    }
  }
  if (grants.size > 0) return grants;
  throw new DowserError('INVALID_FILE', 'The file gives no scope to any group.', {
    hint: 'It must be the scopes.yml of the MCP gateway registry, or the scope documents of its database as JSON.',
  });
}

const emptyLists = () => ({ service: new Set<string>(), agent: new Set<string>(), skill: new Set<string>() });

/** `scopes.yml`: groups name scopes, and each scope has its rules under its own name. */
function fromFile({ group_mappings, 'UI-Scopes': ui, ...rules }: JsonObject): readonly ScopeDocument[] {
  const groups = Object.entries(group_mappings as JsonObject);
  const names = new Set(groups.flatMap(([, scopes]) => texts(scopes)));
  return [...names].map((name) => {
    const permissions = isJsonObject(ui) && isJsonObject(ui[name]) ? ui[name] : {};
    const holders = groups.filter(([, scopes]) => texts(scopes).includes(name)).map(([group]) => group);
    return { name, groups: holders, permissions, servers: serversOf(rules[name]) };
  });
}

function fromDatabase(value: unknown): readonly ScopeDocument[] {
  return [value].flat().flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const { _id, scope_name, group_mappings, ui_permissions, server_access } = one;
    return {
      name: String(scope_name ?? _id ?? ''),
      groups: texts(group_mappings),
      permissions: isJsonObject(ui_permissions) ? ui_permissions : {},
      servers: serversOf(server_access),
    };
  });
}

/** `list_agents` -> the agents that may be listed. Any permission beyond reading is one to write. No group gets the scope `admin`. */
function addPermissions({ scopes, lists }: GroupGrant, permissions: JsonObject): void {
  for (const [permission, value] of Object.entries(permissions)) {
    const names = texts(value);
    if (names.length === 0) continue;
    const [, verb, noun = ''] = /^(list|get|health_check)_(.*)$/.exec(permission) ?? [];
    scopes.add(verb === undefined ? 'write' : 'read');
    const kind = GRANTED_KINDS.find((one) => noun === one || noun === `${one}s`);
    if (verb === 'list' && kind !== undefined) for (const name of names) lists[kind].add(everything(name));
  }
}
