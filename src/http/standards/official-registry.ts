import type { StandardHandlers, StandardInput } from '../../api/standards-contract.ts';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import { parseCursor, toCursor } from '../../standards/cursor.ts';
import { type ServerResponse, toServerResponse } from '../../standards/server-json.ts';
import { type Directory, firstAfter, type ListedServer } from './directory.ts';

type RegistryHandlers = Pick<StandardHandlers, 'listServers' | 'listServerVersions' | 'getServerVersion'>;

/** The read routes of the official MCP registry, API version 0.1. */
export function createRegistryHandlers(directory: Directory): RegistryHandlers {
  async function responseOf({ name, summary }: ListedServer): Promise<ServerResponse | undefined> {
    const record = await directory.read(summary);
    return record === undefined ? undefined : toServerResponse({ ...record, entity: record.entity as McpServer }, name);
  }

  async function named(name: string): Promise<{ readonly listed: ListedServer; readonly response: ServerResponse }> {
    const listed = (await directory.listing()).serverNamed.get(name);
    const response = listed === undefined ? undefined : await responseOf(listed);
    if (listed !== undefined && response !== undefined) return { listed, response };
    throw new DowserError('NOT_FOUND', `Server ${showValue(name)} not found.`, {
      hint: 'See GET /v0.1/servers for the names. In a URL, the slash of a name is %2F.',
    });
  }

  return {
    async listServers({ query }) {
      const { servers } = await directory.listing();
      const from =
        query.cursor === undefined
          ? 0
          : firstAfter(servers, parseCursor(query.cursor, ['string'], 'cursor')[0], ({ name }) => name);
      const matches = serverTest(query);
      const page: ServerResponse[] = [];
      let last = '';
      let more = false;
      for (let at = from; at < servers.length && !more; at++) {
        const server = servers[at]!;
        if (!matches(server)) continue;
        more = page.length === query.limit;
        const response = more ? undefined : await responseOf(server);
        if (response === undefined) continue;
        page.push(response);
        last = server.name;
      }
      const metadata = { ...(more ? { nextCursor: toCursor([last]) } : {}), count: page.length };
      return { status: 200, body: { servers: page, metadata } };
    },
    async listServerVersions({ params }) {
      const { response } = await named(params.name);
      return { status: 200, body: { servers: [response], metadata: { count: 1 } } };
    },
    async getServerVersion({ params }) {
      const { listed, response } = await named(params.name);
      if (params.version === 'latest' || params.version === response.server.version) {
        return { status: 200, body: response };
      }
      throw new DowserError(
        'NOT_FOUND',
        `Version ${showValue(params.version)} of ${listed.name} not found. The version is ${response.server.version}.`,
      );
    },
  };
}

type Wanted = Pick<StandardInput<'listServers'>['query'], 'search' | 'updated_since' | 'version'>;

function serverTest({ search, updated_since, version }: Wanted): (server: ListedServer) => boolean {
  const part = search?.toLowerCase();
  const since = updated_since === undefined ? undefined : Date.parse(updated_since);
  return (server) => {
    if (part !== undefined && !server.name.toLowerCase().includes(part)) return false;
    if (since !== undefined && Date.parse(server.summary.updatedAt) < since) return false;
    return version === undefined || version === 'latest' || version === server.version;
  };
}
