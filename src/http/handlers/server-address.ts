import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';

const PROTOCOL = /^(?:https?|wss?):$/;
/** Servers with an address per user have addresses such as `https://{tenant}.example.com:{port}`. */
const PLACEHOLDER = /\{[^{}]*\}/g;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** A remote server needs an address. */
export function expectAddress({ deployment, url, mcp_endpoint, sse_endpoint }: Fields): void {
  if (deployment === 'local' || [url, mcp_endpoint, sse_endpoint].some(isText)) return;
  const hint = "Send the address of the server, or deployment 'local'.";
  throw refused('proxy_pass_url', 'missing: required for a remote server.', hint);
}

/** Refuses an invalid address. A stored one may be sent back unchanged. */
export function checkAddresses(fields: Fields, stored?: McpServer): void {
  for (const key of ['url', 'mcp_endpoint', 'sse_endpoint'] as const) {
    if (fields[key] !== stored?.[key]) checkText(key === 'url' ? 'proxy_pass_url' : key, fields[key]);
  }
}

function checkText(field: string, address: unknown): void {
  if (!isText(address)) return;
  // A digit is valid in a host, a port and a path.
  const filledIn = address.trim().replaceAll(PLACEHOLDER, '1');
  if (URL.canParse(filledIn) && PROTOCOL.test(new URL(filledIn).protocol)) return;
  const what = `${showValue(address)}: must be an http, https, ws or wss address.`;
  throw refused(field, what, 'For example https://mcp.example.com/mcp.');
}

function refused(field: string, what: string, hint: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'${field}' of the server is ${what}`, { field, hint });
}
