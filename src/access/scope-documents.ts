import { includedScopes, type Scope } from '../model/caller/caller.ts';
import { DowserError } from '../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../model/json/json-object.ts';
import { trimEndChars } from '../model/text/trim-chars.ts';

/** The kinds of entities that scope documents grant. */
export const GRANTED_KINDS = ['service', 'agent', 'skill'] as const;
export type GrantedKind = (typeof GRANTED_KINDS)[number];

/** What one group may do, and which entities it may list, by path or name. `all` is every one. */
export interface GroupGrant {
  readonly scopes: Set<Scope>;
  readonly lists: Readonly<Record<GrantedKind, Set<string>>>;
  /** Servers that it may use as a whole. */
  readonly wholeServers: Set<string>;
  /** Servers with the only tools of them that it may use. */
  readonly someTools: Map<string, Set<string>>;
}
export type GroupGrants = ReadonlyMap<string, GroupGrant>;

export const ALL = 'all';

interface GrantedServer {
  readonly name: string;
  /** The tools that may be used. Null: all of them. */
  readonly tools: readonly string[] | null;
}

interface ScopeDocument {
  readonly name: string;
  readonly groups: readonly string[];
  /** Each by permission, such as `list_service`. */
  readonly permissions: readonly JsonObject[];
  /** The servers that its holders may use. */
  readonly servers: readonly GrantedServer[];
}

const texts = (value: unknown): readonly string[] =>
  [value].flat().flatMap((item) => (typeof item === 'string' ? [item] : []));
/** Names of all are `all` or `*`; a path may end in a slash. */
const everything = (name: string): string => (name === '*' ? ALL : name.length > 1 ? trimEndChars(name, '/') : name);

/** Null for a rule without a list of tools, and for one that lists all. */
function toolsOf({ tools }: JsonObject): readonly string[] | null {
  if (!Array.isArray(tools)) return null;
  const names = texts(tools);
  return names.some((tool) => everything(tool) === ALL) ? null : names;
}

/** The rules of a scope. A document of the database may have them inside `access_rules`. */
const rulesIn = (value: unknown): readonly JsonObject[] =>
  (Array.isArray(value) ? value : [value])
    .filter(isJsonObject)
    .flatMap((rule) => (Array.isArray(rule.access_rules) ? rulesIn(rule.access_rules) : [rule]));

const serversOf = (rules: readonly JsonObject[]): readonly GrantedServer[] =>
  rules.flatMap((rule) => texts(rule.server).map((name) => ({ name, tools: toolsOf(rule) })));

/** Rules about agents are permissions, too: `{agent, actions: [...]}` and `{agents: {actions: [{action, resources}]}}`. */
function agentPermissions(rules: readonly JsonObject[]): readonly JsonObject[] {
  return rules.flatMap(({ agent, agents, actions }): JsonObject[] => {
    const inside = isJsonObject(agents) ? agents.actions : actions;
    return (Array.isArray(inside) ? inside : []).flatMap((one: unknown): JsonObject[] => {
      if (typeof one === 'string') return [{ [one]: agent }];
      return isJsonObject(one) && typeof one.action === 'string' ? [{ [one.action]: one.resources ?? agent }] : [];
    });
  });
}

/**
 * Reads the scopes of the MCP gateway registry: the file `scopes.yml`, or the documents of its database, one or a list. Throws
 * INVALID_FILE.
 */
export function readScopeDocuments(value: unknown): GroupGrants {
  const documents = isJsonObject(value) && isJsonObject(value.group_mappings) ? fromFile(value) : fromDatabase(value);
  const grants = new Map<string, GroupGrant>();
  for (const { groups, permissions, servers } of documents) {
    for (const group of groups) {
      const grant = grants.get(group) ?? emptyGrant();
      grants.set(group, grant);
      for (const some of permissions) addPermissions(grant, some);
      for (const { name, tools } of servers) addServer(grant, everything(name), tools);
    }
  }
  if (grants.size > 0) return grants;
  throw new DowserError('INVALID_FILE', 'The file gives no scope to any group.', {
    hint: 'It must be the scopes.yml of the MCP gateway registry, or the scope documents of its database as JSON.',
  });
}

/** `payments=read+write,platform=read`, for the setting `group_scopes`. */
export function groupScopesOf(grants: GroupGrants): string {
  return [...grants].map(([group, { scopes }]) => `${group}=${includedScopes([...scopes]).join('+')}`).join(',');
}

const emptyGrant = (): GroupGrant => ({
  scopes: new Set(),
  lists: { service: new Set(), agent: new Set(), skill: new Set() },
  wholeServers: new Set(),
  someTools: new Map(),
});

function addServer(
  { scopes, lists, wholeServers, someTools }: GroupGrant,
  name: string,
  tools: GrantedServer['tools'],
) {
  scopes.add('read');
  lists.service.add(name);
  if (tools === null) wholeServers.add(name);
  else someTools.set(name, new Set([...(someTools.get(name) ?? []), ...tools]));
}

/** `scopes.yml`: groups name scopes, and each scope has its rules under its own name. */
function fromFile({ group_mappings, 'UI-Scopes': ui, ...rules }: JsonObject): readonly ScopeDocument[] {
  const groups = Object.entries(group_mappings as JsonObject);
  const names = new Set(groups.flatMap(([, scopes]) => texts(scopes)));
  return [...names].map((name) => {
    const shown = isJsonObject(ui) && isJsonObject(ui[name]) ? ui[name] : {};
    const holders = groups.filter(([, scopes]) => texts(scopes).includes(name)).map(([group]) => group);
    return scopeOf(name, holders, shown, rules[name]);
  });
}

function fromDatabase(value: unknown): readonly ScopeDocument[] {
  return [value].flat().flatMap((one) => {
    if (!isJsonObject(one)) return [];
    const { _id, scope_name, group_mappings, ui_permissions, server_access } = one;
    const shown = isJsonObject(ui_permissions) ? ui_permissions : {};
    return scopeOf(String(scope_name ?? _id ?? ''), texts(group_mappings), shown, server_access);
  });
}

function scopeOf(name: string, groups: readonly string[], shown: JsonObject, access: unknown): ScopeDocument {
  const rules = rulesIn(access);
  return { name, groups, permissions: [shown, ...agentPermissions(rules)], servers: serversOf(rules) };
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
