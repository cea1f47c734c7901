import { INVALID_REQUEST, type JSONRPCMessage, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** The answer to a line that nobody could act on. Without an id that can be told, `id` is null (JSON-RPC 2.0, section 5). */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

export type ReadLine =
  | { readonly type: 'message'; readonly message: JSONRPCMessage }
  | { readonly type: 'refusal'; readonly refusal: Refusal }
  /** What means to be a response but is none. An answer to it could be answered in turn, without end. */
  | { readonly type: 'unanswerable' };

/** Reads one line of the wire. */
export function readLine(line: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (thrown) {
    return refuse(null, PARSE_ERROR, `Parse error: ${(thrown as Error).message}`);
  }
  try {
    return { type: 'message', message: parseJSONRPCMessage(value) };
  } catch {
    if (isResponse(value)) return { type: 'unanswerable' };
    const reason = Array.isArray(value)
      ? 'a line holds one message, not a list of them'
      : 'the line is no JSON-RPC 2.0 request, notification or response';
    return refuse(idOf(value), INVALID_REQUEST, `Invalid request: ${reason}`);
  }
}

/** The answer to a line that is longer than `maxBytes`; nobody has read its id. */
export function refuseLongLine(maxBytes: number): Refusal {
  return refusalOf(null, INVALID_REQUEST, `Invalid request: the line is longer than ${maxBytes} bytes`);
}

function refuse(id: Refusal['id'], code: number, message: string): ReadLine {
  return { type: 'refusal', refusal: refusalOf(id, code, message) };
}

function refusalOf(id: Refusal['id'], code: number, message: string): Refusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

function isResponse(value: unknown): boolean {
  return value !== null && typeof value === 'object' && ('result' in value || 'error' in value);
}

function idOf(value: unknown): Refusal['id'] {
  const id = value !== null && typeof value === 'object' && 'id' in value ? value.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
