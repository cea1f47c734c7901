import { INVALID_REQUEST, type JSONRPCMessage, PARSE_ERROR, parseJSONRPCMessage } from '@modelcontextprotocol/server';

/** The answer to a line that nobody could act on. Without an id that can be told, `id` is null (JSON-RPC 2.0, section 5). */
export interface Refusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/** Reads one line of the wire. */
export function readLine(line: string): { readonly message: JSONRPCMessage } | { readonly refusal: Refusal } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (thrown) {
    return refuse(null, PARSE_ERROR, `Parse error: ${(thrown as Error).message}`);
  }
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const reason = Array.isArray(value)
      ? 'a line holds one message, not a list of them'
      : 'the line is no JSON-RPC 2.0 request, notification or response';
    return refuse(idOf(value), INVALID_REQUEST, `Invalid request: ${reason}`);
  }
}

function refuse(id: Refusal['id'], code: number, message: string): { readonly refusal: Refusal } {
  return { refusal: { jsonrpc: '2.0', id, error: { code, message } } };
}

function idOf(value: unknown): Refusal['id'] {
  const id = value !== null && typeof value === 'object' && 'id' in value ? value.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}
