import { createHash } from 'node:crypto';
import { z } from 'zod';
import { trimChars } from '../../model/text/trim-chars.ts';

/** The provider whose tool search gets the answer. */
export const TOOL_REFERENCE_FORMATS = ['anthropic', 'openai', 'openai-namespaces'] as const;
type ToolReferenceFormat = (typeof TOOL_REFERENCE_FORMATS)[number];

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

const jsonSchema = z.record(z.string(), z.unknown());
const shown = { name: z.string(), description: z.string() };
const deferred = { defer_loading: z.literal(true) };
const origins = z
  .array(z.object({ name: z.string(), server_path: z.string(), tool_name: z.string(), path: z.string() }))
  .describe('The tool behind each name.');

/** `content` is that of a `tool_search_tool_result`. A caller's own search tool puts `tool_references` into its `tool_result`. */
export const anthropicReferencesSchema = z.object({
  format: z.literal('anthropic'),
  content: z.object({
    type: z.literal('tool_search_tool_search_result'),
    tool_references: z.array(z.object({ type: z.literal('tool_reference'), tool_name: z.string() })),
  }),
  // A reference works only for a tool that the request defines.
  definitions: z
    .array(z.object({ ...shown, input_schema: jsonSchema, ...deferred }))
    .describe('The same tools as definitions, for the `tools` of a request.'),
  origins,
});
type AnthropicReferences = z.output<typeof anthropicReferencesSchema>;

/** `strict` is false: the schemas of others seldom have what OpenAI's strict mode requires, and it would refuse the tool. */
const openAiFunction = z.object({
  type: z.literal('function'),
  ...shown,
  parameters: jsonSchema,
  strict: z.literal(false),
  ...deferred,
});

/** `content` is an input item of the Responses API. The caller adds the `call_id` of the search call. */
export const openAiReferencesSchema = z.object({
  format: z.literal('openai'),
  content: z.object({
    type: z.literal('tool_search_output'),
    execution: z.literal('client'),
    status: z.literal('completed'),
    tools: z.array(openAiFunction),
  }),
  origins,
});
type OpenAiReferences = z.output<typeof openAiReferencesSchema>;

/** The same with the tools of each server in a namespace. A tool that stands alone stays outside. */
export const openAiNamespacesSchema = openAiReferencesSchema.extend({
  format: z.literal('openai-namespaces'),
  content: openAiReferencesSchema.shape.content.extend({
    tools: z.array(
      z.union([z.object({ type: z.literal('namespace'), ...shown, tools: z.array(openAiFunction) }), openAiFunction]),
    ),
  }),
  origins: origins.describe('The tool behind each name. Within a namespace: `namespace.tool`.'),
});
type OpenAiNamespaces = z.output<typeof openAiNamespacesSchema>;

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
    (part) => trimChars(part.replaceAll(/[^A-Za-z0-9-]+/g, '_'), '_') || 'tool',
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
export function toToolReferences(results: readonly FoundTool[], format: 'openai-namespaces'): OpenAiNamespaces;
export function toToolReferences(
  results: readonly FoundTool[],
  format: ToolReferenceFormat,
): AnthropicReferences | OpenAiReferences | OpenAiNamespaces;
export function toToolReferences(
  results: readonly FoundTool[],
  format: ToolReferenceFormat,
): AnthropicReferences | OpenAiReferences | OpenAiNamespaces {
  if (format === 'openai-namespaces') return toNamespaces(results);
  const named = new Map<string, FoundTool>();
  for (const tool of results) {
    const name = toolReferenceName(tool);
    if (!named.has(name)) named.set(name, tool);
  }
  const tools = Array.from(named, ([name, { description, inputSchema }]) => ({
    shown: { name, description: description ?? '' },
    schema: objectSchema(inputSchema),
  }));
  const origins = Array.from(named, ([name, { server_path, tool_name, path }]) => ({
    name,
    server_path,
    tool_name,
    path,
  }));
  if (format === 'openai') {
    const functions = tools.map(({ shown, schema }) => functionOf(shown, schema));
    return { format, content: { ...FOUND, tools: functions }, origins };
  }
  const references = tools.map(({ shown: { name } }) => ({ type: 'tool_reference' as const, tool_name: name }));
  return {
    format,
    content: { type: 'tool_search_tool_search_result', tool_references: references },
    definitions: tools.map(({ shown, schema }) => ({ ...shown, input_schema: schema, defer_loading: true })),
    origins,
  };
}

const FOUND = { type: 'tool_search_output', execution: 'client', status: 'completed' } as const;

function functionOf(
  shown: { readonly name: string; readonly description: string },
  parameters: Readonly<Record<string, unknown>>,
): z.output<typeof openAiFunction> {
  return { type: 'function', ...shown, parameters, strict: false, defer_loading: true };
}

/** Servers in the order of their best tool. */
function toNamespaces(results: readonly FoundTool[]): OpenAiNamespaces {
  const tools: OpenAiNamespaces['content']['tools'] = [];
  const origins: OpenAiNamespaces['origins'] = [];
  const namespaces = new Map<string, z.output<typeof openAiFunction>[]>();
  const seen = new Set<string>();
  for (const { server_path, tool_name, path, description, inputSchema } of results) {
    if (seen.has(path)) continue;
    seen.add(path);
    const isOfServer = path === `${server_path}#${tool_name}`;
    // Both names are unique: made of the whole path where the plain name would not be.
    const name = toolReferenceName(
      isOfServer ? { server_path: '', tool_name, path: tool_name } : { server_path, tool_name, path },
    );
    const found = functionOf({ name, description: description ?? '' }, objectSchema(inputSchema));
    const namespace = isOfServer
      ? toolReferenceName({
          server_path: '',
          tool_name: server_path.replace(/^\//, ''),
          path: server_path.replace(/^\//, ''),
        })
      : '';
    origins.push({ name: isOfServer ? `${namespace}.${name}` : name, server_path, tool_name, path });
    const group = namespaces.get(server_path);
    if (!isOfServer) tools.push(found);
    else if (group !== undefined) group.push(found);
    else {
      const own = [found];
      namespaces.set(server_path, own);
      tools.push({ type: 'namespace', name: namespace, description: `Tools of ${server_path}.`, tools: own });
    }
  }
  return { format: 'openai-namespaces', content: { ...FOUND, tools }, origins };
}

/** Both providers require an object schema. A schema without a type counts as one. */
function objectSchema(schema: FoundTool['inputSchema']): Readonly<Record<string, unknown>> {
  if (schema === null) return NO_ARGUMENTS;
  return schema.type === 'object' ? schema : { ...schema, type: 'object' };
}
