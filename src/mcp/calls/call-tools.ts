import {
  type CallToolResult,
  isCallToolResult,
  type McpServer,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { CallScope } from '../../model/caller/caller.ts';
import { type DowserError, type ErrorCode, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import type { CallAnswer, CallProgress } from '../../registry/contract/registry.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { failureText } from '../catalog/failure-text.ts';

/** A tool that passes on what others answer. It promises no output schema, and takes arguments in the shapes that models send. */
export interface CallTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly right: CallScope;
  readonly annotations: NonNullable<Tool['annotations']>;
  readonly inputSchema: Tool['inputSchema'];
  run(catalog: Catalog, args: JsonObject, options: RunOptions): Promise<JsonObject>;
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CallProgress) => void;
}

const CALL_INPUT: Tool['inputSchema'] = {
  type: 'object',
  required: ['path'],
  properties: {
    path: { type: 'string', description: 'Its path in search_tools, like /github#get_issue.' },
    arguments: { type: 'object', description: 'Its arguments, as get_details shows them.' },
    definition: {
      type: 'string',
      description: 'As you read it. Refused if it changed.',
    },
    session: {
      type: 'string',
      maxLength: 64,
      description: 'Calls with one session share the state of a server.',
    },
    max_tokens: { type: 'integer', minimum: 50, maximum: 100_000, default: 8000 },
    timeout_s: { type: 'integer', minimum: 1, maximum: 600 },
  },
};

/** The same arguments in few characters: a client reads both in each conversation. */
const SAME_INPUT: Tool['inputSchema'] = {
  type: 'object',
  required: ['path'],
  properties: Object.fromEntries(
    Object.entries(CALL_INPUT.properties as Record<string, { type: string }>).map(([name, { type }]) => [
      name,
      { type },
    ]),
  ),
};

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

/** In the order of the list that clients read. Listed and called only where calls are on. */
export const CALL_TOOLS: readonly CallTool[] = [
  {
    name: 'call_read_tool',
    title: 'Call a read-only tool',
    description: 'Call a tool that only reads, found with search_tools. Others are refused: use call_tool.',
    right: 'call:read',
    annotations: READS,
    inputSchema: CALL_INPUT,
    run: async (catalog, args, options) => passedOn(await catalog.call({ ...args, read_only: true }, options)),
  },
  {
    name: 'call_tool',
    title: 'Call any tool',
    description: 'Call any tool that the operator allows. Arguments as of call_read_tool.',
    right: 'call:read',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    inputSchema: SAME_INPUT,
    run: async (catalog, args, options) => passedOn(await catalog.call(args, options)),
  },
  {
    name: 'read_result',
    title: 'Read the rest of a result',
    description: 'Read on in an answer of a call that was cut.',
    right: 'call:read',
    annotations: { ...READS, openWorldHint: false },
    inputSchema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'string' },
        from_char: { type: 'integer' },
        max_tokens: { type: 'integer' },
      },
    },
    async run(catalog, args) {
      const { text, block, next, total } = await catalog.readResult(args);
      if (block !== undefined) return { content: [block] };
      const rest =
        next === null ? [] : [{ type: 'text', text: `[${next} of ${total} characters. Read on from there.]` }];
      return { content: [{ type: 'text', text }, ...rest], structuredContent: { next, total } };
    },
  },
];

export const toListedCallTool = ({ name, title, description, inputSchema, annotations }: CallTool): Tool => ({
  name,
  title,
  description,
  inputSchema,
  annotations,
});

interface Registration {
  readonly catalog: Catalog;
  readonly onCalled: (code?: ErrorCode) => void;
  readonly onError: (error: unknown) => void;
}

/** Lets clients call it. `serveToolList` lists it. */
export function registerCallTool(
  server: McpServer,
  tool: CallTool,
  { catalog, onCalled, onError }: Registration,
): void {
  const { name, title, inputSchema, annotations } = tool;
  const config = { title, annotations, inputSchema: anyArguments(inputSchema) };
  server.registerTool(name, config, async (args: unknown, context: ServerContext) => {
    const progress = progressOf(context);
    try {
      const { signal } = context.mcpReq;
      const result = await tool.run(catalog, isJsonObject(args) ? args : {}, { signal, onProgress: progress.send });
      onCalled();
      return sendable(result);
    } catch (thrown) {
      const error = toDowserError(thrown);
      onCalled(error.code);
      if (error.code === 'INTERNAL') onError(thrown);
      return failure(error);
    } finally {
      progress.end();
    }
  });
}

/** Arguments are read by the registry, which knows how models write them. */
function anyArguments(schema: Tool['inputSchema']) {
  const jsonSchema = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  const validate = (value: unknown) => ({ value: isJsonObject(value) ? value : {} });
  return { '~standard': { version: 1 as const, vendor: 'dowser', validate, jsonSchema } };
}

/** The result, with the facts of the call, and what the model should know of it as the last block. */
function passedOn({ result, call }: CallAnswer): JsonObject {
  const { repairs, warnings } = call;
  const content: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const notes = [...repairs, ...warnings].map((text) => ({ type: 'text', text: `[${text}]` }));
  const _meta = { ...(isJsonObject(result._meta) ? result._meta : {}), 'io.dowser/call': call };
  return { ...result, content: [...content, ...notes], _meta };
}

/** A block that the protocol's library would refuse must not lose the answer of a tool that has run. */
function sendable(result: JsonObject): CallToolResult {
  if (isCallToolResult(result)) return result;
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const content = blocks.map((block) =>
    isCallToolResult({ content: [block] }) ? block : { type: 'text', text: JSON.stringify(block) },
  );
  const safe: unknown = { ...result, content };
  return isCallToolResult(safe) ? safe : ({ content } as CallToolResult);
}

function failure(error: DowserError): CallToolResult {
  const { code, message, ownHint, details = {} } = error;
  const { retryable = false, retry_after, example, upstream_code } = details;
  const facts = {
    code,
    message,
    ...(ownHint === undefined ? {} : { hint: ownHint }),
    retryable,
    ...(retry_after === undefined ? {} : { retry_after_s: retry_after }),
    ...(example === undefined ? {} : { example }),
    ...(upstream_code === undefined ? {} : { upstream_code }),
  };
  return { content: [{ type: 'text', text: failureText(error) }], isError: true, structuredContent: { error: facts } };
}

/** A sign of life for clients that give up on a silent request. */
const HEARTBEAT_MS = 15_000;
/** Progress must increase with each notification. */
const SMALLEST_STEP = 1e-6;

/** Sends progress under the token of the client, if it gave one. */
function progressOf({ mcpReq }: ServerContext) {
  const token = (mcpReq._meta as { readonly progressToken?: string | number } | undefined)?.progressToken;
  let last = 0;
  let isOver = false;
  const send = ({ progress, total, message }: CallProgress) => {
    if (token === undefined || isOver) return;
    last = Math.max(progress, last + SMALLEST_STEP);
    const params = {
      progressToken: token,
      progress: last,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const beat = token === undefined ? undefined : setInterval(() => send({ progress: last }), HEARTBEAT_MS);
  beat?.unref();
  return {
    send,
    end() {
      isOver = true;
      clearInterval(beat);
    },
  };
}
