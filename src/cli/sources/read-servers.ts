import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type McpServer, parseEntity } from '../../model/entity.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { slugOf } from '../../model/text/slug.ts';
import { readTextFile } from '../../sources/fetch/read-document.ts';
import { parseJsonWithComments } from '../../sources/formats/json-with-comments.ts';
import { openJsonl } from '../../sources/kinds/jsonl.ts';
import { openSource, type SourceRequest } from '../../sources/open/open-source.ts';
import { recognizeText } from '../../sources/open/recognize.ts';
import type { SourceContext } from '../../sources/source.ts';

/** The MCP servers of one source, and what could not be read of it. Nothing is stored. */
export interface ReadServers {
  readonly servers: readonly McpServer[];
  readonly problems: readonly { readonly part: string; readonly message: string }[];
}

/**
 * Reads MCP servers with their tools from a command, a client's configuration, an address, a JSON Lines file of entities, or a
 * JSON file with a list of `tools`: a bundle's manifest, or the answer of `tools/list`. Throws if the whole source cannot be read.
 */
export async function readServers(
  request: SourceRequest,
  context: SourceContext,
  signal: AbortSignal,
): Promise<ReadServers> {
  const { what } = request;
  if (what !== undefined && request.kind === undefined && (await isFile(what))) {
    if (what.endsWith('.jsonl')) return readLines(what);
    const manifest = await readManifest(what, context);
    if (manifest !== undefined) return { servers: [manifest], problems: [] };
  }
  const source = await openSource(request, context, signal);
  const servers: McpServer[] = [];
  const problems: { part: string; message: string }[] = [];
  for await (const item of source.read(signal)) {
    if ('problem' in item) problems.push({ part: item.part, message: item.problem.message });
    else if ('skipped' in item) problems.push({ part: item.part, message: `skipped: ${item.skipped}` });
    else if ('entity' in item && item.entity.type === 'mcp_server') {
      try {
        servers.push(parseEntity(item.entity).entity as McpServer);
      } catch (thrown) {
        problems.push({ part: item.part, message: toDowserError(thrown).message });
      }
    }
  }
  return { servers, problems };
}

const isFile = async (what: string): Promise<boolean> => (await stat(what).catch(() => undefined))?.isFile() === true;

async function readLines(file: string): Promise<ReadServers> {
  const servers: McpServer[] = [];
  const problems: { part: string; message: string }[] = [];
  for await (const entry of (await openJsonl(file)).lines) {
    if ('error' in entry) problems.push({ part: `line ${entry.line}`, message: entry.error.message });
    else if (entry.entity.type === 'mcp_server') servers.push(entry.entity);
  }
  return { servers, problems };
}

/** Undefined if the file has no list of tools of its own. */
async function readManifest(file: string, { limits }: SourceContext): Promise<McpServer | undefined> {
  const text = await readTextFile(file, limits.maxBytes);
  if (recognizeText(text) !== undefined || !text.trimStart().startsWith('{')) return undefined;
  const value = parseJsonWithComments(text, file) as JsonObject;
  const { tools } = isJsonObject(value.result) ? value.result : value;
  if (!Array.isArray(tools)) return undefined;
  const name = typeof value.name === 'string' && value.name.trim() !== '' ? value.name : basename(file, '.json');
  const title = typeof value.display_name === 'string' ? value.display_name : name;
  const description = typeof value.description === 'string' ? value.description : '';
  const entity = { type: 'mcp_server', path: `/${slugOf(name)}`, name: title, description, tools };
  return parseEntity(entity).entity as McpServer;
}

/** The servers of several sources. One that cannot be read does not stop the others, unless it is the only one. */
export async function readAllServers(
  requests: readonly SourceRequest[],
  context: SourceContext,
  signal: AbortSignal,
): Promise<ReadServers> {
  const all: { servers: McpServer[]; problems: { part: string; message: string }[] } = { servers: [], problems: [] };
  for (const request of requests) {
    try {
      const { servers, problems } = await readServers(request, context, signal);
      all.servers.push(...servers);
      all.problems.push(...problems);
    } catch (thrown) {
      if (signal.aborted || requests.length === 1 || !(thrown instanceof DowserError)) throw thrown;
      all.problems.push({ part: request.what ?? '', message: thrown.message });
    }
  }
  return all;
}
