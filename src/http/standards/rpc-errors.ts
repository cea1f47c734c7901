import type { JsonObject } from '../../model/json/json-object.ts';

/** Error codes of JSON-RPC 2.0 and of A2A 1.0, section 5.4. */
export const RPC_ERRORS = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  taskNotFound: -32001,
  pushNotSupported: -32003,
  unsupported: -32004,
  contentTypeNotSupported: -32005,
  extendedCardNotConfigured: -32007,
  versionNotSupported: -32009,
} as const;

/** The reasons of A2A's own errors, for programs. */
const REASONS: Readonly<Record<number, string>> = {
  [RPC_ERRORS.taskNotFound]: 'TASK_NOT_FOUND',
  [RPC_ERRORS.pushNotSupported]: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  [RPC_ERRORS.unsupported]: 'UNSUPPORTED_OPERATION',
  [RPC_ERRORS.contentTypeNotSupported]: 'CONTENT_TYPE_NOT_SUPPORTED',
  [RPC_ERRORS.extendedCardNotConfigured]: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  [RPC_ERRORS.versionNotSupported]: 'VERSION_NOT_SUPPORTED',
};

export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export function rpcError(code: number, message: string, id: unknown = null): JsonObject {
  const reason = REASONS[code];
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' };
  return { jsonrpc: '2.0', id, error: { code, message, ...(reason === undefined ? {} : { data: [info] }) } };
}
