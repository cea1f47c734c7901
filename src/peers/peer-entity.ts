import { type EntityType, type ParsedEntity, parseEntity } from '../model/entity.ts';
import { isJsonObject, type JsonObject, stated } from '../model/json/json-object.ts';
import { barePath } from '../model/text/bare-path.ts';

/** What is taken from a peer. Everything else, such as an owner, readers, a trust level or ratings, is not said by strangers. */
const LINKS: readonly string[] = [
  ...['version', 'license', 'homepage', 'repository', 'official_name', 'url', 'mcp_endpoint', 'sse_endpoint'],
  ...['deployment', 'local_runtime', 'skill_md_url', 'package_name', 'ecosystem'],
];

/** Each text is embedded within the deadline of a search: the start of a description says what a thing is for. */
const MAX_CHARS = 1000;
const MAX_TOOL_CHARS = 300;
const MAX_NAME = 200;
const MAX_PATH = 400;
const MAX_TAGS = 20;
const MAX_TOOLS = 10;
const MAX_QUERIES = 5;

const start = (value: unknown, most = MAX_CHARS): string => (typeof value === 'string' ? value.slice(0, most) : '');
const list = (value: unknown, most: number): readonly unknown[] => (Array.isArray(value) ? value.slice(0, most) : []);

/**
 * What a peer said, as an entity under a path that no entity of this registry has by itself. Throws INVALID_REQUEST, UNKNOWN_TYPE or
 * another error of `parseEntity` for what is none, and for a type that was not asked for. At most `maxTools` of its tools are read.
 */
export function peerEntity(
  peer: string,
  said: JsonObject,
  types: readonly EntityType[],
  maxTools: number,
): ParsedEntity {
  const { type, path, name, description, tags, status, metadata } = said;
  if (!types.includes(type as EntityType)) throw new TypeError(`has a result of another type than it was asked for`);
  const own = typeof path === 'string' ? barePath(path) : '';
  if (own === '' || own.length > MAX_PATH) throw new TypeError('has a result without a path');
  // Addresses have neither, and sentences do.
  if (/[\s\p{C}]/u.test(own)) throw new TypeError('has a result with spaces or control characters in its path');
  const queries = isJsonObject(metadata) ? list(metadata.representative_queries, MAX_QUERIES) : [];
  const links = Object.fromEntries(LINKS.flatMap((field) => (said[field] == null ? [] : [[field, said[field]]])));
  const tools = list(said.tools, Math.min(maxTools, MAX_TOOLS)).flatMap((tool) =>
    isJsonObject(tool)
      ? [{ name: start(tool.name, MAX_NAME), description: start(tool.description, MAX_TOOL_CHARS) }]
      : [],
  );
  return parseEntity(
    stated({
      ...links,
      type,
      path: `peer:${peer}/${own}`,
      name: start(name, MAX_NAME),
      description: start(description),
      tags: list(tags, MAX_TAGS).map((tag) => start(tag, MAX_NAME)),
      status: status === 'active' ? undefined : status,
      tools: tools.length === 0 ? undefined : tools,
      metadata: { representative_queries: queries.map((query) => start(query, MAX_NAME)) },
    }),
  );
}
