import { isJsonObject } from '../../model/json-object.ts';
import { MAX_QUERY_CHARS } from '../../model/query.ts';
import { RPC_ERRORS, RpcError } from './rpc-errors.ts';

export interface ReceivedMessage {
  readonly text: string;
  readonly contextId: string | undefined;
}

/** A part with a file, in 1.0 by its bytes or its address, in 0.3 as `file`. */
const isFile = (part: Readonly<Record<string, unknown>>) =>
  part.raw !== undefined || part.url !== undefined || part.file !== undefined || part.kind === 'file';

/** The text of a message of either version. Data beside the text is not used. Throws RpcError. */
export function readMessage(params: unknown): ReceivedMessage {
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

const invalid = (message: string) => new RpcError(RPC_ERRORS.invalidParams, message);

const notSupported = (what: string) =>
  new RpcError(RPC_ERRORS.contentTypeNotSupported, `${what} This agent reads text/plain only.`);
