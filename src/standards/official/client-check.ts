import { z } from 'zod';
import type { McpServer } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { packageNames } from '../../model/text/identifiers.ts';
import { beforeChars, trimEndChars } from '../../model/text/trim-chars.ts';
import { isListed } from '../text/is-listed.ts';
import { officialNames } from './official-name.ts';

export const installedServerSchema = z.object({
  name: z.string().max(1000),
  url: z.string().max(10_000).optional(),
  args: z.array(z.string().max(10_000)).max(1000).readonly().optional().describe('The arguments of its command.'),
});

/** A server of a client's configuration. */
export type InstalledServer = Readonly<z.output<typeof installedServerSchema>>;

/** A server of a registry, by its official name. */
export interface RegisteredServer {
  readonly name: string;
  readonly entity: McpServer;
}

/** By their official names, all of them: a name belongs to one server. */
export function toRegistered(servers: readonly McpServer[], namespace: string): readonly RegisteredServer[] {
  const names = officialNames(servers, namespace);
  return servers.map((entity) => ({ name: names.get(entity.path)!, entity }));
}

/**
 * - `allowed`: the registry lists this name.
 * - `hidden`: it has this name, but does not list it.
 * - `other_name`: it lists the same server under another name.
 * - `unknown`: it has no such server.
 */
const STATES = ['allowed', 'hidden', 'other_name', 'unknown'] as const;
export type InstalledState = (typeof STATES)[number];

export const checkedServersSchema = z.object({
  blocked: z.int().describe('How many an editor would block.'),
  servers: z.array(
    z.object({
      name: z.string(),
      state: z.enum(STATES),
      registered: z
        .object({ name: z.string(), path: z.string() })
        .exactOptional()
        .describe('The server of the registry, by its official name.'),
    }),
  ),
});
export type CheckedServers = Readonly<z.output<typeof checkedServersSchema>>;
export type CheckedServer = Readonly<CheckedServers['servers'][number]>;

/**
 * Whether an editor that allows only servers of a registry would run what is installed. Editors compare names, exactly. The
 * address and the package only tell which server was probably meant.
 */
export function checkInstalled(
  installed: readonly InstalledServer[],
  registered: readonly RegisteredServer[],
): CheckedServers {
  const servers = installed.map((server): CheckedServer => {
    const named = registered.find(({ name }) => name === server.name);
    const state = named === undefined ? 'other_name' : isListed(named.entity) ? 'allowed' : 'hidden';
    const found = named ?? registered.find(({ entity }) => isListed(entity) && isSame(server, entity));
    if (found === undefined) return { name: server.name, state: 'unknown' };
    return { name: server.name, state, registered: { name: found.name, path: found.entity.path } };
  });
  return { blocked: servers.filter(({ state }) => state !== 'allowed').length, servers };
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
const plainUrl = (url: string) => trimEndChars(beforeChars(url, '?#'), '/');

/** `@acme/clock@1.2` -> `@acme/clock` */
const withoutVersion = (name: string) => {
  const at = name.search(/(?<=.)(?:@|==)/);
  return at === -1 ? name : name.slice(0, at);
};
