import { createHash } from 'node:crypto';
import { type GroupGrants, readScopeDocuments } from '../../access/scope-documents.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import { type EntityCollection, type NamedCollection, PEER_COLLECTIONS } from './collections.ts';
import type { FieldAccount } from './field-account.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import { blockedTools } from './tool-fields.ts';
import { pathValue, textValue } from './values.ts';

/** How much a collection had, to notice a change while it is read. No server promises one snapshot of everything. */
export class Tally {
  #documents = 0;
  readonly #hash = createHash('sha256');

  add({ _id, updated_at }: JsonObject): void {
    this.#documents++;
    this.#hash.update(`${JSON.stringify([_id, updated_at])}\n`);
  }

  end(): { readonly documents: number; readonly digest: string } {
    return { documents: this.#documents, digest: this.#hash.digest('hex') };
  }
}

/** What must be known of the whole database before one document of it can be read. */
export interface Survey {
  /** Null: there is no scope document, so that nothing says who may read. */
  readonly grants: GroupGrants | null;
  /** By path of the server. What is blocked for a server is blocked for its versions. */
  readonly blocked: ReadonlyMap<string, ReadonlySet<string>>;
  /** The other versions of a server, by its path. */
  readonly versions: ReadonlyMap<string, readonly JsonObject[]>;
  readonly tallies: ReadonlyMap<string, ReturnType<Tally['end']>>;
  /** The addresses of other registries, without secrets. */
  readonly peers: readonly string[];
}

/** `/clock:v2` -> the version of `/clock`. Undefined for a server itself. */
export function versionIn({ _id }: JsonObject): { readonly path: string; readonly version: string } | undefined {
  const [, path, version] = /^([^:]+):(.+)$/.exec(textValue(_id) ?? '') ?? [];
  const known = pathValue(path);
  return known === undefined || version === undefined ? undefined : { path: known, version };
}

export async function surveyDatabase(
  database: GatewayDatabase,
  collections: readonly NamedCollection[],
  account: FieldAccount,
  signal: AbortSignal,
): Promise<Survey> {
  const scopes: JsonObject[] = [];
  const blocked = new Map<string, Set<string>>();
  const versions = new Map<string, JsonObject[]>();
  const tallies = new Map<string, ReturnType<Tally['end']>>();
  const peers = new Set<string>();
  for (const { name, base, why } of collections) {
    if ((PEER_COLLECTIONS as readonly string[]).includes(base)) {
      for await (const document of database.documents(name, signal))
        for (const url of endpointsIn(document)) peers.add(url);
    }
    if (why !== null) continue;
    const tally = new Tally();
    for await (const document of database.documents(name, signal)) {
      tally.add(document);
      if (base === 'mcp_scopes') scopes.push(document);
      if (base !== 'mcp_servers') continue;
      const version = versionIn(document);
      const path = version?.path ?? pathValue(document._id);
      if (path === undefined) continue;
      const tools = blockedTools(document);
      if (tools.length > 0) blocked.set(path, new Set([...(blocked.get(path) ?? []), ...tools]));
      if (version === undefined) continue;
      const known = versions.get(path) ?? [];
      versions.set(path, known);
      known.push({ ...document, _id: path, version: document.version ?? version.version });
    }
    tallies.set(base, tally.end());
  }
  for (const scope of scopes) accountForScope(scope, account);
  return { grants: grantsOf(scopes), blocked, versions, tallies, peers: [...peers].sort() };
}

/** Null if the documents give nothing to any group. */
function grantsOf(scopes: readonly JsonObject[]): GroupGrants | null {
  const withGroups = scopes.filter(({ group_mappings }) => Array.isArray(group_mappings) && group_mappings.length > 0);
  return withGroups.length === 0 ? null : readScopeDocuments(withGroups);
}

const GROUPS = 'allowed_groups';
const SCOPE_FATES: Readonly<Record<string, string>> = {
  group_mappings: GROUPS,
  server_access: GROUPS,
  ui_permissions: `${GROUPS} and the setting group_scopes`,
};

function accountForScope(scope: JsonObject, account: FieldAccount): void {
  for (const field of Object.keys(scope)) {
    const to = SCOPE_FATES[field];
    const why = field === '_id' || field === 'scope_name' ? 'Groups hold rights here, without scopes between.' : UNUSED;
    account.add('mcp_scopes', field, to === undefined ? { why } : { to });
  }
}

const UNUSED = 'It says nothing about who may read what.';

/** Every text under a key that ends in `endpoint` or is `url`, at any depth. */
function endpointsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(endpointsIn);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (typeof item !== 'string') return endpointsIn(item);
    return /(?:endpoint|^url)$/i.test(key) && /^https?:\/\//.test(item) ? [publicUrl(item).text] : [];
  });
}

export const hasChanged = (before: Survey, base: EntityCollection, now: ReturnType<Tally['end']>): boolean =>
  before.tallies.get(base)?.digest !== now.digest;
