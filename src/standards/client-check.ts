import type { McpServer } from '../model/entity.ts';
import { packageNames } from '../model/identifiers.ts';
import { isJsonObject } from '../model/json-object.ts';
import { isListed } from './is-listed.ts';

/** A server of a client's configuration. */
export interface InstalledServer {
  readonly name: string;
  readonly url?: string | undefined;
  readonly args?: readonly string[] | undefined;
}

/** A server of a registry, by its official name. */
export interface RegisteredServer {
  readonly name: string;
  readonly entity: McpServer;
}

/**
 * - `allowed`: the registry lists this name.
 * - `hidden`: it has this name, but does not list it.
 * - `other_name`: it lists the same server under another name.
 * - `unknown`: it has no such server.
 */
export type InstalledState = 'allowed' | 'hidden' | 'other_name' | 'unknown';

export interface CheckedServer {
  readonly name: string;
  readonly state: InstalledState;
  /** The server of the registry. */
  readonly registered?: { readonly name: string; readonly path: string };
}

/**
 * Whether an editor that allows only servers of a registry would run what is installed. Editors compare names, exactly. The
 * address and the package only tell which server was probably meant.
 */
export function checkInstalled(
  installed: readonly InstalledServer[],
  registered: readonly RegisteredServer[],
): readonly CheckedServer[] {
  return installed.map((server) => {
    const named = registered.find(({ name }) => name === server.name);
    const state = named === undefined ? 'other_name' : isListed(named.entity) ? 'allowed' : 'hidden';
    const found = named ?? registered.find(({ entity }) => isListed(entity) && isSame(server, entity));
    if (found === undefined) return { name: server.name, state: 'unknown' };
    return { name: server.name, state, registered: { name: found.name, path: found.entity.path } };
  });
}

function isSame({ url, args = [] }: InstalledServer, entity: McpServer): boolean {
  if (url !== undefined) return addressesOf(entity).includes(plainUrl(url));
  const packages = packageNames(entity);
  return args.some((arg) => packages.includes(arg) || packages.includes(withoutVersion(arg)));
}

function addressesOf({ url, mcp_endpoint, sse_endpoint, metadata }: McpServer): readonly string[] {
  const remotes = Array.isArray(metadata.remotes) ? metadata.remotes.filter(isJsonObject) : [];
  const said = [url, mcp_endpoint, sse_endpoint, ...remotes.map((remote) => remote.url)];
  return said.filter((address) => typeof address === 'string').map(plainUrl);
}

/** Parameters may hold secrets, and a slash at the end has no meaning. */
const plainUrl = (url: string) => url.replace(/[?#].*$/, '').replace(/\/+$/, '');

/** `@acme/clock@1.2` -> `@acme/clock` */
const withoutVersion = (name: string) => name.replace(/(?<=.)(?:@|==).*$/, '');
