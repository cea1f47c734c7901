import { INVALID_REQUEST, type JSONRPCMessage, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { refuseParams } from './check-params.ts';

/** The answer to a line that is not a message. Without a readable id, `id` is null (JSON-RPC 2.0, section 5). */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** Neither for an invalid response: an answer to it could be answered in turn, without end. */
interface ReadLine {
  readonly message?: JSONRPCMessage;
  readonly refusal?: Refusal;
}

/** Reads one line of the input. */
export function readLine(line: string): ReadLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (thrown) {
    return { refusal: refusalOf(null, PARSE_ERROR, `Parse error: ${(thrown as Error).message}`) };
  }
  try {
    const message = parseJSONRPCMessage(value);
    const refusal = refuseParams(message);
    return refusal === undefined ? { message } : { refusal };
  } catch {
    if (isResponse(value)) return {};
    const reason = Array.isArray(value)
      ? 'a line must be one message, not a batch'
      : 'the line is not a JSON-RPC 2.0 request, notification or response';
    return { refusal: refusalOf(idOf(value), INVALID_REQUEST, `Invalid request: ${reason}`) };
  }
}

/** The answer to a line that is longer than `maxBytes`. Its id is unknown. */
export function refuseLongLine(maxBytes: number): Refusal {
  return refusalOf(null, INVALID_REQUEST, `Invalid request: the line is longer than ${maxBytes} bytes`);
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
