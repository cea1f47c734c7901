import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { Fields } from '../../registry/operations/entity-operations.ts';

const PROTOCOL = /^(?:https?|wss?):$/;
/** Servers that are set up for each user have addresses like `https://{tenant}.example.com:{port}`. */
const PLACEHOLDER = /\{[^{}]*\}/g;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** A remote server without an address is of no use to whoever finds it. */
export function expectAddress({ deployment, url, mcp_endpoint, sse_endpoint }: Fields): void {
  if (deployment === 'local' || [url, mcp_endpoint, sse_endpoint].some(isText)) return;
  const hint = "Say where the server is, or send deployment 'local'.";
  throw refused('proxy_pass_url', 'missing: a remote server has one.', hint);
}

/** Refuses an address that nothing could be reached at. One that is stored already may be sent back as it is. */
export function checkAddresses(fields: Fields, stored?: McpServer): void {
  for (const key of ['url', 'mcp_endpoint', 'sse_endpoint'] as const) {
    if (fields[key] !== stored?.[key]) checkText(key === 'url' ? 'proxy_pass_url' : key, fields[key]);
  }
}

function checkText(field: string, address: unknown): void {
  if (!isText(address)) return;
  // One digit is a name, a port and a part of a path.
  const filledIn = address.trim().replaceAll(PLACEHOLDER, '1');
  if (URL.canParse(filledIn) && PROTOCOL.test(new URL(filledIn).protocol)) return;
  const what = `${showValue(address)}: must be an http, https, ws or wss address.`;
  throw refused(field, what, 'For example https://mcp.example.com/mcp.');
}

function refused(field: string, what: string, hint: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'${field}' of the server is ${what}`, { field, hint });
}
