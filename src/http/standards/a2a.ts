import { randomUUID } from 'node:crypto';
import type { SearchResult } from '../../model/answer/result.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { MAX_QUERY_CHARS } from '../../model/query/query.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { DISCOVERABLE_TYPES } from '../../standards/ard/ard-types.ts';
import { A2A_VERSIONS } from '../../standards/own-entries.ts';
import { anyLength } from './any-length.ts';
import { RPC_ERRORS, RpcError, rpcError } from './rpc-errors.ts';

interface ReceivedMessage {
  readonly text: string;
  readonly contextId: string | undefined;
}

/** A part with a file, in 1.0 by its bytes or its address, in 0.3 as `file`. */
const isFile = (part: Readonly<Record<string, unknown>>) =>
  part.raw !== undefined || part.url !== undefined || part.file !== undefined || part.kind === 'file';

const invalid = (message: string) => new RpcError(RPC_ERRORS.invalidParams, message);

const notSupported = (what: string) =>
  new RpcError(RPC_ERRORS.contentTypeNotSupported, `${what} This agent reads text/plain only.`);

const MAX_ANSWERS = 5;

/** As a stranger may read it: requests have no identity yet. */
type Searched = Pick<Registry, 'search'>;

/**
 * A minimal A2A agent: one message with a query gets one message with the results, at once. It has no tasks, so methods about
 * tasks return an error. A2A 1.0 and 0.3 name methods and parts differently; each is answered in its own format. `version` is
 * the header `A2A-Version`: absent or empty means 0.3, where the method decides.
 */
export async function answerRpc(registry: Searched, body: unknown, version = ''): Promise<JsonObject> {
  if (!isJsonObject(body)) return rpcError(RPC_ERRORS.invalidRequest, 'The request must be one JSON-RPC object.');
  const { jsonrpc, id, method, params } = body;
  const isId = id === null || typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || !isId || typeof method !== 'string') {
    const message = "A JSON-RPC request needs 'jsonrpc': '2.0', an 'id' (string or number) and a 'method'.";
    return rpcError(RPC_ERRORS.invalidRequest, message, isId ? id : null);
  }
  try {
    checkVersion(version);
    return { jsonrpc, id, result: await answer(registry, method, params) };
  } catch (thrown) {
    if (thrown instanceof RpcError) return rpcError(thrown.code, thrown.message, id);
    const error = toDowserError(thrown);
    if (error.httpStatus < 500) return rpcError(RPC_ERRORS.invalidParams, error.message, id);
    throw thrown;
  }
}

/** Only the first two numbers count: a patch changes nothing on the wire. */
function checkVersion(version: string): void {
  const [, wanted = version.trim()] = /^(\d+\.\d+)(?:\.\d+)?$/.exec(version.trim()) ?? [];
  if (wanted === '' || (A2A_VERSIONS as readonly string[]).includes(wanted)) return;
  const message = `A2A version ${showValue(version)} is not supported. Use ${A2A_VERSIONS.join(' or ')}.`;
  throw new RpcError(RPC_ERRORS.versionNotSupported, message);
}

/** What A2A says for methods that the card rules out. */
const REFUSALS: readonly (readonly [RegExp, number, string])[] = [
  [
    /^(?:Get|Cancel)Task$|^tasks\/(?:get|cancel)$/,
    RPC_ERRORS.taskNotFound,
    'This agent has no tasks: it answers every message at once.',
  ],
  [
    /PushNotificationConfigs?$|^tasks\/pushNotificationConfig\/(?:set|get|list|delete)$/,
    RPC_ERRORS.pushNotSupported,
    'This agent sends no push notifications.',
  ],
  [
    /^SendStreamingMessage$|^SubscribeToTask$|^message\/stream$|^tasks\/resubscribe$/,
    RPC_ERRORS.unsupported,
    'This agent does not stream. See its card.',
  ],
  [/^GetExtendedAgentCard$/, RPC_ERRORS.unsupported, 'This agent has no extended card.'],
  [
    /^agent\/getAuthenticatedExtendedCard$/,
    RPC_ERRORS.extendedCardNotConfigured,
    'This agent has no authenticated extended card.',
  ],
];

async function answer(registry: Searched, method: string, params: unknown): Promise<JsonObject> {
  if (method === 'SendMessage' || method === 'message/send') {
    const { text, contextId } = readMessage(params);
    const request = { query: text, entity_types: [...DISCOVERABLE_TYPES], max_results: MAX_ANSWERS };
    const found = (await registry.search({ ...request, ...anyLength(text) })).results.map(toFound);
    const said = found.length === 0 ? 'No match.' : found.map(toLine).join('\n');
    const messageId = randomUUID();
    const context = contextId === undefined ? {} : { contextId };
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
  if (method === 'ListTasks') return { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 };
  const refusal = REFUSALS.find(([pattern]) => pattern.test(method));
  if (refusal !== undefined) throw new RpcError(refusal[1], refusal[2]);
  throw new RpcError(RPC_ERRORS.methodNotFound, `Unknown method ${showValue(method)}. Use SendMessage.`);
}

function toFound({ entity_type, path, name, description, relevance_score }: SearchResult): JsonObject {
  return { entity_type, path, name, description, relevance_score };
}

function toLine({ entity_type, name, path, description }: JsonObject, at: number): string {
  const first = String(description).split('\n')[0] ?? '';
  return `${at + 1}. ${name} (${entity_type} ${path})${first === '' ? '' : `: ${first}`}`;
}

/** The text of a message of either version. Data beside the text is not used. Throws RpcError. */
function readMessage(params: unknown): ReceivedMessage {
  const message = isJsonObject(params) ? params.message : undefined;
  if (!isJsonObject(message) || !Array.isArray(message.parts) || message.parts.length === 0) {
    throw invalid("'params.message' must be a message with a list of 'parts'.");
  }
  const { taskId, contextId } = message;
  if (typeof taskId === 'string' && taskId !== '') {
    throw new RpcError(RPC_ERRORS.taskNotFound, 'This agent has no tasks: send the message without a taskId.');
  }
  const texts: string[] = [];
  for (const [at, part] of message.parts.entries()) {
    const place = `'params.message.parts.${at}'`;
    if (!isJsonObject(part)) throw invalid(`${place} must be an object.`);
    if (isFile(part)) throw notSupported(`${place} is a file.`);
    if (typeof part.text === 'string') texts.push(part.text);
    else if (part.data === undefined) throw invalid(`${place} must have 'text'.`);
  }
  if (texts.length === 0) throw notSupported("'params.message.parts' has no text.");
  const text = texts.join(' ').trim();
  if (text === '' || text.length > MAX_QUERY_CHARS) {
    throw invalid(
      `'params.message.parts' must have text, from 1 to ${MAX_QUERY_CHARS} characters in all; it has ${text.length}.`,
    );
  }
  return { text, contextId: typeof contextId === 'string' && contextId !== '' ? contextId : undefined };
}
