import type { StandardHandlers, StandardInput } from '../../api/routes/standards-contract.ts';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { MAX_RESULTS } from '../../model/query/query.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import { otherVersions } from '../../registry/write/server-versions.ts';
import {
  type ServerResponse,
  toDeletedResponse,
  toServerResponse,
  versionOf,
} from '../../standards/official/server-json.ts';
import { parseCursor, toCursor } from '../../standards/text/cursor.ts';
import { isListed } from '../../standards/text/is-listed.ts';
import { byText, type Directory, firstAfter, type ListedServer, type Listing } from './directory.ts';
import type { DelistedServer } from './name-ledger.ts';

type ListQuery = StandardInput<'listServers'>['query'];

/** What a list of servers has to match. '' where nothing was asked. */
interface ListFilter {
  readonly search: string;
  readonly updatedSince: string;
  readonly version: string;
  readonly withDeleted: boolean;
}

/** Where a page begins: after a version of a name, or after so many of the servers found by meaning. */
interface ListPlace {
  readonly name: string;
  readonly version: string;
  readonly byMeaning: number;
}

const LIST_START: ListPlace = { name: '', version: '', byMeaning: 0 };

const KINDS = ['string', 'string', 'number', 'string', 'string', 'string', 'number'] as const;

type RegistryHandlers = Pick<
  StandardHandlers,
  'listServers' | 'listServerVersions' | 'getServerVersion' | 'registryHealth'
>;

/** One version of a server, read when it is needed. */
interface ListedVersion {
  readonly version: string;
  readonly updatedAt: string;
  readonly response: () => Promise<ServerResponse | undefined>;
}

/** An entry of the list, and the place after it. */
interface ListItem {
  readonly place: ListPlace;
  readonly listed: ListedVersion;
}

type AnyServer = ListedServer | DelistedServer;

/** The read routes of the official MCP registry, API version 0.1. `registry` is that of an anonymous caller. */
export function createRegistryHandlers(directory: Directory, registry: ScopedRegistry): RegistryHandlers {
  async function versionReader() {
    const others = await otherVersions(registry);
    return (server: AnyServer): readonly ListedVersion[] => {
      if ('at' in server) return [delistedVersion(server)];
      const { name, version, summary } = server;
      const latest: ListedVersion = {
        version,
        updatedAt: summary.updatedAt,
        async response() {
          const record = await directory.read(summary);
          return record === undefined
            ? undefined
            : toServerResponse({ ...record, entity: record.entity as McpServer }, name);
        },
      };
      const versions = [latest];
      for (const { entity, added_at } of others.get(summary.metadata.path) ?? []) {
        const other = versionOf(entity.version);
        if (!isListed(entity) || versions.some((one) => one.version === other)) continue;
        const record = { entity, created_at: added_at, updated_at: added_at };
        const response = async () => toServerResponse(record, name, false);
        versions.push({ version: other, updatedAt: added_at, response });
      }
      return versions;
    };
  }

  /** The servers with `search` in their name, by name, then those that a search by meaning finds besides, best first. */
  async function* itemsOf(filter: ListFilter, from: ListPlace): AsyncGenerator<ListItem> {
    const listing = await directory.listing();
    const versionsOf = await versionReader();
    const matches = versionTest(filter);
    const part = filter.search.toLowerCase();
    if (from.byMeaning === 0) {
      const all = namedServers(listing, filter.withDeleted);
      const next = firstAfter(all, from.name, ({ name }) => name);
      for (let at = all[next - 1]?.name === from.name ? next - 1 : next; at < all.length; at++) {
        const server = all[at]!;
        const { name } = server;
        if (!name.toLowerCase().includes(part)) continue;
        const versions = versionsOf(server);
        const first = name === from.name ? versions.findIndex(({ version }) => version === from.version) + 1 : 0;
        // The last version of the page before may be gone. Nothing is listed twice.
        if (name === from.name && first === 0) continue;
        for (const listed of versions.slice(first)) {
          if (matches(listed, versions)) yield { listed, place: { name, version: listed.version, byMeaning: 0 } };
        }
      }
    }
    if (part === '') return;
    let byMeaning = 0;
    const { results } = await registry.search({
      query: filter.search,
      entity_types: ['mcp_server'],
      max_results: MAX_RESULTS,
    });
    for (const { path } of results) {
      const server = listing.serverAt.get(path);
      if (server === undefined || server.name.toLowerCase().includes(part)) continue;
      const versions = versionsOf(server);
      for (const listed of versions) {
        if (!matches(listed, versions) || ++byMeaning <= from.byMeaning) continue;
        yield { listed, place: { ...LIST_START, byMeaning } };
      }
    }
  }

  async function versionsNamed(name: string): Promise<readonly ListedVersion[]> {
    const server = (await directory.listing()).serverNamed.get(name);
    if (server !== undefined) return (await versionReader())(server);
    throw new DowserError('NOT_FOUND', `Server ${showValue(name)} not found.`, {
      hint: 'See GET /v0.1/servers for the names. In a URL, the slash of a name is %2F.',
    });
  }

  return {
    async listServers({ query }) {
      const { filter, place } = parseListQuery(query);
      const servers: ServerResponse[] = [];
      let last = place;
      let more = false;
      for await (const item of itemsOf(filter, place)) {
        more = servers.length === query.limit;
        if (more) break;
        const response = await item.listed.response();
        if (response === undefined) continue;
        servers.push(response);
        last = item.place;
      }
      const metadata = { ...(more ? { nextCursor: toListCursor(last, filter) } : {}), count: servers.length };
      return { status: 200, body: { servers, metadata } };
    },
    async listServerVersions({ params }) {
      const read = await Promise.all((await versionsNamed(params.name)).map(({ response }) => response()));
      const servers = read.filter((response) => response !== undefined);
      return { status: 200, body: { servers, metadata: { count: servers.length } } };
    },
    async getServerVersion({ params: { name, version } }) {
      const versions = await versionsNamed(name);
      const listed = version === 'latest' ? versions[0] : versions.find((one) => one.version === version);
      const body = await listed?.response();
      if (body !== undefined) return { status: 200, body };
      const known = versions.map((one) => one.version).join(', ');
      throw new DowserError('NOT_FOUND', `Version ${showValue(version)} of ${name} not found. It has ${known}.`);
    },
    async registryHealth() {
      return { status: 200, body: { status: 'ok' } };
    },
  };
}

function delistedVersion({ name, version, at }: DelistedServer): ListedVersion {
  return { version, updatedAt: at, response: async () => toDeletedResponse(name, version, at) };
}

function namedServers({ servers, delisted }: Listing, withDeleted: boolean): readonly AnyServer[] {
  if (!withDeleted || delisted.length === 0) return servers;
  return [...servers, ...delisted].sort((a, b) => byText(a.name, b.name));
}

/** The first version of a list is the latest. */
function versionTest({ updatedSince, version }: ListFilter) {
  const since = updatedSince === '' ? Number.NEGATIVE_INFINITY : Date.parse(updatedSince);
  return (listed: ListedVersion, all: readonly ListedVersion[]): boolean => {
    if (Date.parse(listed.updatedAt) < since) return false;
    if (version === 'latest') return listed === all[0];
    return version === '' || version === listed.version;
  };
}

/** Clients send the cursor alone for the next page, so it carries the filter too. */
function toListCursor({ name, version, byMeaning }: ListPlace, filter: ListFilter): string {
  const { search, updatedSince, version: wanted, withDeleted } = filter;
  return toCursor([name, version, byMeaning, search, updatedSince, wanted, withDeleted ? 1 : 0]);
}

/** The filter and the place of a request. Those of a cursor count more than the other parameters. */
function parseListQuery(query: ListQuery): { readonly filter: ListFilter; readonly place: ListPlace } {
  const { cursor, search = '', updated_since = '', version = '', include_deleted } = query;
  // The official registry takes an empty cursor for none.
  if (cursor === undefined || cursor === '') {
    const withDeleted = include_deleted === undefined ? updated_since !== '' : include_deleted === 'true';
    return { filter: { search: search.trim(), updatedSince: updated_since, version, withDeleted }, place: LIST_START };
  }
  const [name, last, byMeaning, text, updatedSince, wanted, deleted] = parseCursor(cursor, KINDS, 'cursor');
  return {
    filter: { search: text, updatedSince, version: wanted, withDeleted: deleted === 1 },
    place: { name, version: last, byMeaning },
  };
}
