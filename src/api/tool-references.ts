import { createHash } from 'node:crypto';

/** The provider whose tool search gets the answer. */
export const TOOL_REFERENCE_FORMATS = ['anthropic', 'openai'] as const;
export type ToolReferenceFormat = (typeof TOOL_REFERENCE_FORMATS)[number];

/** A tool of the search results. */
export interface FoundTool {
  /** The server's path. Empty for a standalone tool. */
  readonly server_path: string;
  readonly tool_name: string;
  /** The path of the tool: `server#tool` for a tool of a server. */
  readonly path: string;
  readonly description: string | null;
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
}

/** Maps the name that a model sees to the tool. */
export interface ToolOrigin {
  readonly name: string;
  readonly server_path: string;
  readonly tool_name: string;
  readonly path: string;
}

/** The `content` of a `tool_search_tool_result`. A caller's own search tool puts `tool_references` into its `tool_result`. */
export interface AnthropicToolSearch {
  readonly type: 'tool_search_tool_search_result';
  readonly tool_references: readonly { readonly type: 'tool_reference'; readonly tool_name: string }[];
}

/** A tool definition of the Messages API. A reference works only for a tool that the request defines like this. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly defer_loading: true;
}

export interface OpenAiTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly defer_loading: true;
}

/** An input item of the Responses API. The caller adds the `call_id` of the search call. */
export interface OpenAiToolSearch {
  readonly type: 'tool_search_output';
  readonly execution: 'client';
  readonly status: 'completed';
  readonly tools: readonly OpenAiTool[];
}

export interface AnthropicReferences {
  readonly format: 'anthropic';
  readonly content: AnthropicToolSearch;
  /** The same tools as definitions, for the `tools` of a request. */
  readonly definitions: readonly AnthropicTool[];
  readonly origins: readonly ToolOrigin[];
}

export interface OpenAiReferences {
  readonly format: 'openai';
  readonly content: OpenAiToolSearch;
  readonly origins: readonly ToolOrigin[];
}

export type ToolReferences = AnthropicReferences | OpenAiReferences;

/** A valid tool name for both providers. */
export const MAX_TOOL_NAME_CHARS = 64;
const HASH_CHARS = 10;
/** A part that can be split off again: without `__`, which separates server and tool. */
const PLAIN_PART = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/;
const LOOKS_HASHED = /-[0-9a-f]{10}$/;
/** A schema without arguments. Both providers require an object. */
const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

/**
 * The name of a tool for a model: `server__tool`, the same in every answer. If path and name are too long or have other
 * characters, the name is shortened and ten digits of a checksum keep it unique.
 */
export function toolReferenceName({
  server_path,
  tool_name,
  path,
}: Pick<FoundTool, 'server_path' | 'tool_name' | 'path'>): string {
  const ofServer = path === `${server_path}#${tool_name}`;
  const server = server_path.replace(/^\//, '');
  const plain =
    PLAIN_PART.test(tool_name) &&
    (ofServer ? server_path.startsWith('/') && PLAIN_PART.test(server) : server_path === '' && path === tool_name);
  const parts = (server_path === '' ? [tool_name] : [server, tool_name]).map(
    (part) => part.replaceAll(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '') || 'tool',
  );
  const whole = parts.join('__');
  if (plain && whole.length <= MAX_TOOL_NAME_CHARS && !LOOKS_HASHED.test(whole)) return whole;
  const key = JSON.stringify([ofServer, server_path, path]);
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_CHARS);
  const room = MAX_TOOL_NAME_CHARS - HASH_CHARS - 1;
  // The tool's name says more than its server's, so cut the server's name.
  const tool = parts.at(-1)!.slice(0, room);
  const before = parts.length === 1 ? '' : `${parts[0]!.slice(0, Math.max(0, room - tool.length - 2))}__`;
  const shown = before === '__' || before.length + tool.length > room ? tool : `${before}${tool}`;
  return `${shown}-${hash}`;
}

/** The found tools in the format of the provider's tool search, best first, each once. */
export function toToolReferences(results: readonly FoundTool[], format: 'anthropic'): AnthropicReferences;
export function toToolReferences(results: readonly FoundTool[], format: 'openai'): OpenAiReferences;
export function toToolReferences(results: readonly FoundTool[], format: ToolReferenceFormat): ToolReferences;
export function toToolReferences(results: readonly FoundTool[], format: ToolReferenceFormat): ToolReferences {
  const named = new Map<string, FoundTool>();
  for (const tool of results) {
    const name = toolReferenceName(tool);
    if (!named.has(name)) named.set(name, tool);
  }
  const tools = Array.from(named, ([name, tool]) => ({
    name,
    description: tool.description ?? '',
    schema: objectSchema(tool.inputSchema),
  }));
  const origins = Array.from(named, ([name, { server_path, tool_name, path }]) => ({
    name,
    server_path,
    tool_name,
    path,
  }));
  if (format === 'openai') {
    return {
      format,
      content: {
        type: 'tool_search_output',
        execution: 'client',
        status: 'completed',
        tools: tools.map(({ name, description, schema }) => ({
          type: 'function',
          name,
          description,
          parameters: schema,
          defer_loading: true,
        })),
      },
      origins,
    };
  }
  return {
    format,
    content: {
      type: 'tool_search_tool_search_result',
      tool_references: tools.map(({ name }) => ({ type: 'tool_reference', tool_name: name })),
    },
    definitions: tools.map(({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
      defer_loading: true,
    })),
    origins,
  };
}

/** Both providers require an object schema. A schema without a type counts as one. */
function objectSchema(schema: FoundTool['inputSchema']): Readonly<Record<string, unknown>> {
  if (schema === null) return NO_ARGUMENTS;
  return schema.type === 'object' ? schema : { ...schema, type: 'object' };
}
