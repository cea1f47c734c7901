import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { checkJson, jsonChars } from '../../model/parse/check-json.ts';
import { LIMITS } from '../../model/parse/limits.ts';
import { slugOf } from '../../model/text/slug.ts';
import type { McpConnection } from './mcp-connection.ts';

/** Enough to find a prompt or a resource. The server has the full text. */
const LISTED_NAMES = 100;
const LISTED_CHARS = 200;
const MAX_TOOLS = 5000;
const MAX_PAGES = 200;
const MAX_ICONS = 20;
const MAX_LIST_CHARS = 20_000_000;
const TEXT_CHARS = 100_000;
const INSTRUCTION_CHARS = 4000;

export interface ListedServer {
  readonly entity: JsonObject;
  readonly warnings: readonly string[];
}

const text = (value: unknown, max = TEXT_CHARS): string => (typeof value === 'string' ? value.slice(0, max) : '');
const stated = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''));

/** Accepts any answer: one invalid tool must not lose the others. */
const ANYTHING: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: 'dowser', validate: (value) => ({ value: isJsonObject(value) ? value : {} }) },
};

type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

interface List {
  readonly items: readonly JsonObject[];
  /** Why the rest is missing. Null for a complete list. */
  readonly cut: string | null;
}

/** Every item of a paged list, at most `most`. Stops at a repeated cursor, which would loop forever. */
async function listAll(
  { client }: McpConnection,
  method: ListMethod,
  field: string,
  most: number,
  signal: AbortSignal,
): Promise<List> {
  const items: JsonObject[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let chars = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method, params }, ANYTHING, { signal });
    const listed = answer[field];
    if (Array.isArray(listed)) for (const item of listed) if (isJsonObject(item)) items.push(item);
    if (items.length > most) return cutList(items, most, `has more than ${most} items`);
    chars += jsonChars(listed, MAX_LIST_CHARS);
    if (chars > MAX_LIST_CHARS) return cutList(items, most, `has more than ${MAX_LIST_CHARS} characters`);
    const next = answer.nextCursor;
    if (typeof next !== 'string' || next === '' || cursors.has(next)) return { items, cut: null };
    if (items.length === most) return cutList(items, most, `has more than ${most} items`);
    cursors.add(next);
    cursor = next;
  }
  return cutList(items, most, `has more than ${MAX_PAGES} pages`);
}

const cutList = (items: readonly JsonObject[], most: number, cut: string): List => ({
  items: items.slice(0, most),
  cut,
});

interface ListOptions {
  readonly signal: AbortSignal;
  /** The time for all lists, after which `signal` aborts. */
  readonly listMs: number;
}

/** Of the time for all lists. A list that hangs must not lose the tools that were read before it. */
const OPTIONAL_SHARE = 0.8;

/** The tools of a connected server as an entity has them, to compare with those that were accepted. */
export async function listTools(connection: McpConnection, signal: AbortSignal): Promise<readonly JsonObject[]> {
  if (connection.client.getServerCapabilities()?.tools === undefined) return [];
  const { items } = await listAll(connection, 'tools/list', 'tools', MAX_TOOLS, signal);
  return items.flatMap((tool, at) => toTool(tool, at, []));
}

/** Reads a connected server as an entity. Only the list of tools is required; the rest may fail. */
export async function listServer(
  connection: McpConnection,
  givenName: string | undefined,
  { signal, listMs }: ListOptions,
): Promise<ListedServer> {
  const optionalSignal = AbortSignal.any([signal, AbortSignal.timeout(OPTIONAL_SHARE * listMs)]);
  const { client, transport } = connection;
  const warnings: string[] = [];
  const capabilities = client.getServerCapabilities() ?? {};
  const info: JsonObject = client.getServerVersion() ?? {};
  const read = async (
    method: ListMethod,
    field: string,
    most: number,
    until = signal,
  ): Promise<readonly JsonObject[]> => {
    const { items, cut } = await listAll(connection, method, field, most, until);
    if (cut !== null) warnings.push(`The list '${method}' ${cut}: only the first ${items.length} were read.`);
    return items;
  };
  const listed = capabilities.tools === undefined ? [] : await read('tools/list', 'tools', MAX_TOOLS);
  const optional = async (method: ListMethod, field: string, has: boolean): Promise<readonly JsonObject[]> => {
    if (!has) return [];
    try {
      return await read(method, field, LISTED_NAMES, optionalSignal);
    } catch (thrown) {
      signal.throwIfAborted();
      // Many servers declare resources but do not support templates.
      const why = optionalSignal.aborted ? 'it took too long' : (thrown as Error).message;
      if (method !== 'resources/templates/list') warnings.push(`'${method}' failed: ${why}.`);
      return [];
    }
  };
  const prompts = await optional('prompts/list', 'prompts', capabilities.prompts !== undefined);
  const resources = await optional('resources/list', 'resources', capabilities.resources !== undefined);
  const templates = await optional(
    'resources/templates/list',
    'resourceTemplates',
    capabilities.resources !== undefined,
  );

  const ownName = text(info.name, 1024).trim();
  const name = givenName ?? (ownName === '' ? 'server' : ownName);
  const title = text(info.title, 1024).trim();
  const instructions = text(client.getInstructions(), INSTRUCTION_CHARS).trim();
  const tools = listed.flatMap((tool, at) => toTool(tool, at, warnings));
  return {
    entity: stated({
      type: 'mcp_server',
      path: `/${name
        .split('/')
        .map(slugOf)
        .filter((part) => part !== '')
        .join('/')}`,
      name: title === '' ? name : title,
      description: [text(info.description), instructions].filter((part) => part !== '').join('\n\n'),
      version: text(info.version, 128),
      homepage: text(info.websiteUrl, 2048),
      tools,
      supported_transports: [transport],
      metadata: stated({
        server_name: ownName,
        protocol_version: client.getNegotiatedProtocolVersion(),
        prompts: names(prompts),
        resources: names([...resources, ...templates]),
      }),
    }),
    warnings,
  };
}

/** A tool with its complete definition. The entity keeps the searched fields; the digest covers all of it. */
function toTool(tool: JsonObject, at: number, warnings: string[]): readonly JsonObject[] {
  const name = text(tool.name, 512);
  if (name.trim() === '') {
    warnings.push(`Tool ${at} of the server has no name and was dropped.`);
    return [];
  }
  const { inputSchema } = tool;
  if (inputSchema !== undefined && !isJsonObject(inputSchema))
    warnings.push(`The 'inputSchema' of tool '${name}' is not an object.`);
  const fits = !isJsonObject(inputSchema) || isSmall(inputSchema);
  if (!fits) warnings.push(`The 'inputSchema' of tool '${name}' is too large and was dropped.`);
  const others: Record<string, unknown> = {};
  for (const field of ['outputSchema', 'annotations', 'execution', '_meta'] as const) {
    const value = tool[field];
    if (!isJsonObject(value)) continue;
    if (isSmall(value)) others[field] = value;
    else warnings.push(`The '${field}' of tool '${name}' is too large and was dropped.`);
  }
  if (Array.isArray(tool.icons))
    others.icons = tool.icons.filter((icon) => isJsonObject(icon) && isSmall(icon)).slice(0, MAX_ICONS);
  return [
    stated({
      name,
      title: text(tool.title, 1024),
      description: text(tool.description),
      ...(isJsonObject(inputSchema) && fits ? { inputSchema } : {}),
      ...others,
    }),
  ];
}

/** Whether the registry takes it. One schema must not lose the server. */
function isSmall(schema: JsonObject): boolean {
  const { max } = LIMITS.object_chars;
  try {
    checkJson(schema);
  } catch {
    return false;
  }
  return jsonChars(schema, max) <= max;
}

function names(items: readonly JsonObject[]): readonly string[] | undefined {
  if (items.length === 0) return undefined;
  return items.map((item) => {
    const called = [item.title, item.name, item.uri].map((value) => text(value)).find((value) => value !== '') ?? '';
    const description = text(item.description);
    return (description === '' ? called : `${called}: ${description}`).slice(0, LISTED_CHARS);
  });
}
