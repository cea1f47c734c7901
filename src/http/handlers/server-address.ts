import { DowserError } from '../../model/errors.ts';
import { showValue } from '../../model/parse.ts';
import type { Fields } from '../../registry/operations/entity-operations.ts';

const PROTOCOL = /^(?:https?|wss?):$/;
/** Servers that are set up for each user have addresses like `https://{tenant}.example.com:{port}`. */
const PLACEHOLDER = /\{[^{}]*\}/g;

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** A remote server without an address is of no use to whoever finds it. */
export function expectAddress(fields: Fields): void {
  if (fields.deployment === 'local' || [fields.url, fields.mcp_endpoint, fields.sse_endpoint].some(isText)) return;
  throw refused('missing: a remote server has one.', "Say where the server is, or send deployment 'local'.");
}

/** Refuses an address that nothing could be reached at. One that is stored already may be sent back as it is. */
export function checkAddress({ url }: Fields, stored?: string): void {
  if (!isText(url) || url === stored) return;
  // One digit is a name, a port and a part of a path.
  const filledIn = url.trim().replaceAll(PLACEHOLDER, '1');
  if (URL.canParse(filledIn) && PROTOCOL.test(new URL(filledIn).protocol)) return;
  throw refused(`${showValue(url)}: must be an http or https address.`, 'For example https://mcp.example.com/mcp.');
}

function refused(what: string, hint: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'proxy_pass_url' of the server is ${what}`, {
    field: 'proxy_pass_url',
    hint,
  });
}
