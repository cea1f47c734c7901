import { randomUUID } from 'node:crypto';
import { toDowserError } from '../../model/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json-object.ts';
import { showValue } from '../../model/parse.ts';
import { MAX_QUERY_CHARS } from '../../model/query.ts';
import type { SearchResult } from '../../model/result.ts';
import type { Registry } from '../../registry/registry.ts';
import { DISCOVERABLE_TYPES } from '../../standards/ard-types.ts';

/** Error codes of JSON-RPC 2.0 and A2A. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  taskNotFound: -32001,
  unsupported: -32004,
} as const;

const MAX_ANSWERS = 5;

/** As a stranger may read it: requests have no identity yet. */
type Searched = Pick<Registry, 'search'>;

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function rpcError(code: number, message: string, id: unknown = null): JsonObject {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/**
 * A minimal A2A agent: one message with a query gets one message with the results, at once. It has no tasks, so methods about
 * tasks return an error. A2A 1.0 and 0.3 name methods and parts differently; each is answered in its own format.
 */
export async function answerRpc(registry: Searched, body: unknown): Promise<JsonObject> {
  if (!isJsonObject(body)) return rpcError(RPC_ERRORS.invalidRequest, 'The request must be one JSON-RPC object.');
  const { jsonrpc, id, method, params } = body;
  const isId = id === null || typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || !isId || typeof method !== 'string') {
    const message = "A JSON-RPC request needs 'jsonrpc': '2.0', an 'id' (string or number) and a 'method'.";
    return rpcError(RPC_ERRORS.invalidRequest, message, isId ? id : null);
  }
  try {
    return { jsonrpc, id, result: await answer(registry, method, params) };
  } catch (thrown) {
    if (thrown instanceof RpcError) return rpcError(thrown.code, thrown.message, id);
    const error = toDowserError(thrown);
    if (error.httpStatus < 500) return rpcError(RPC_ERRORS.invalidParams, error.message, id);
    throw thrown;
  }
}

const TASK_METHODS = /^(?:Get|List|Cancel|SubscribeTo)Tasks?$|^tasks\/(?:get|list|cancel|resubscribe)$/;
const ABSENT_METHODS =
  /^SendStreamingMessage$|^message\/stream$|PushNotificationConfig|pushNotificationConfig|ExtendedAgentCard/;

async function answer(registry: Searched, method: string, params: unknown): Promise<JsonObject> {
  if (method === 'SendMessage' || method === 'message/send') {
    const { text, contextId } = messageOf(params);
    const request = { query: text, entity_types: [...DISCOVERABLE_TYPES], max_results: MAX_ANSWERS };
    const found = (await registry.search(request)).results.map(toFound);
    const said = found.length === 0 ? 'No match.' : found.map(toLine).join('\n');
    const context = contextId === undefined ? {} : { contextId };
    const messageId = randomUUID();
    if (method === 'SendMessage') {
      const content = [
        { text: said, mediaType: 'text/plain' },
        { data: { results: found }, mediaType: 'application/json' },
      ];
      return { message: { messageId, ...context, role: 'ROLE_AGENT', parts: content } };
    }
    const content = [
      { kind: 'text', text: said },
      { kind: 'data', data: { results: found } },
    ];
    return { kind: 'message', messageId, ...context, role: 'agent', parts: content };
  }
  if (TASK_METHODS.test(method)) {
    throw new RpcError(RPC_ERRORS.taskNotFound, 'This agent has no tasks: it answers every message at once.');
  }
  if (ABSENT_METHODS.test(method)) {
    throw new RpcError(RPC_ERRORS.unsupported, `This agent does not support ${method}. See its card.`);
  }
  throw new RpcError(RPC_ERRORS.methodNotFound, `Unknown method ${showValue(method)}. Use SendMessage.`);
}

function messageOf(params: unknown): { readonly text: string; readonly contextId: string | undefined } {
  const message = isJsonObject(params) ? params.message : undefined;
  if (!isJsonObject(message) || !Array.isArray(message.parts)) {
    throw new RpcError(RPC_ERRORS.invalidParams, "'params.message' must be a message with a list of 'parts'.");
  }
  const text = message.parts
    .flatMap((part) => (isJsonObject(part) && typeof part.text === 'string' ? [part.text] : []))
    .join(' ')
    .trim();
  if (text === '' || text.length > MAX_QUERY_CHARS) {
    throw new RpcError(
      RPC_ERRORS.invalidParams,
      `'params.message.parts' must have text, from 1 to ${MAX_QUERY_CHARS} characters in all; it has ${text.length}.`,
    );
  }
  return { text, contextId: typeof message.contextId === 'string' ? message.contextId : undefined };
}

function toFound({ entity_type, path, name, description, relevance_score }: SearchResult): JsonObject {
  return { entity_type, path, name, description, relevance_score };
}

function toLine({ entity_type, name, path, description }: JsonObject, at: number): string {
  const first = String(description).split('\n')[0] ?? '';
  return `${at + 1}. ${name} (${entity_type} ${path})${first === '' ? '' : `: ${first}`}`;
}
