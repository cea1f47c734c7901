import { isIP } from 'node:net';
import { isLoopbackName, isPublic, publicUrlOf, type Reach, withoutBrackets } from '../../access/reach.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { isAllowedOrigin } from './cors.ts';

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);
const hostUrl = (host: string, protocol = 'http:'): URL | null => (host === '' ? null : urlOf(`${protocol}//${host}`));

/** Of the last Host header: nearly all requests have the same one. */
let last = { host: '', name: '' };

/** The name of a Host header, without the port. Empty if it is none. */
function hostName(host: string): string {
  if (host !== last.host) last = { host, name: hostUrl(host)?.hostname ?? '' };
  return last.name;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);
const OTHER_SITES = new Set(['cross-site', 'same-site']);

/**
 * Rejects cross-origin requests: a browser in the right network would send them for any page. DNS rebinding is detected by
 * Host, other pages by Origin, and by Sec-Fetch-Site where a form is sent without an Origin. Programs send neither and pass.
 * On a public server, other origins may still send reads; the CORS headers decide whether they see the answer.
 */
export function checkRequestSource(method: string, headers: Headers, reach: Reach): void {
  const host = headers.get('host') ?? '';
  checkHost(host, reach);
  const origin = headers.get('origin');
  if (isAllowedOrigin(origin, reach)) return;
  if (READS.has(method) && (origin === null || isPublic(reach))) return;
  const isOther =
    origin === null ? OTHER_SITES.has(headers.get('sec-fetch-site') ?? '') : !isOwnOrigin(urlOf(origin), host, reach);
  if (!isOther) return;
  const from = origin === null ? 'another site' : showValue(origin);
  throw new DowserError('FORBIDDEN', `Cross-origin request from ${from} refused.`, {
    field: origin === null ? 'Sec-Fetch-Site' : 'Origin',
    hint: "Use a page of the server's own address and port. Behind a proxy, set 'public_url' to the public address. To allow pages of another site, set 'allowed_origins'.",
  });
}

/** Whether a request may write: those of other machines may only read. Call it after `checkRequestSource`. */
export function mayWrite(headers: Headers, reach: Reach): boolean {
  if (reach.remoteWrites === true) return true;
  return reach.loopbackOnly && isLoopbackName(hostName(headers.get('host') ?? ''));
}

/** The refusal of a write from another machine. */
export function refuseWrite(): never {
  throw new DowserError('FORBIDDEN', 'This server is read-only for requests over the network.', {
    hint: "Write on its own machine with the 'dowser' commands, or turn on 'auth' and send an API key. To let everyone write who can reach it, set 'allow_remote_writes'.",
  });
}

/**
 * A page of another site can give its own name the address of this server (DNS rebinding). Its requests then carry that name,
 * so the name must be one of ours. An address is safe: it cannot be rebound.
 */
function checkHost(host: string, reach: Reach): void {
  const name = withoutBrackets(hostName(host));
  const isAddress = !reach.loopbackOnly && isIP(name) !== 0;
  if (isLoopbackName(name) || isAddress || (name !== '' && namesOf(reach).includes(name))) return;
  throw new DowserError('FORBIDDEN', `The Host header is ${showValue(host)}, which is not a name of this server.`, {
    field: 'Host',
    hint: reach.loopbackOnly
      ? "Use http://localhost, set 'public_url' or 'allowed_hosts', or change the setting 'host'."
      : "Use its IP address, or add the name to the setting 'allowed_hosts', or set 'public_url'.",
  });
}

function namesOf(reach: Reach): readonly string[] {
  const url = publicUrlOf(reach);
  return [...(reach.allowedHosts ?? []), ...(url === null ? [] : [url.hostname])].map(withoutBrackets);
}

/** A page of this server: the same host and port. Another port of this machine is another program. */
function isOwnOrigin(origin: URL | null, host: string, reach: Reach): boolean {
  if (origin === null || origin.host === '') return false;
  if (origin.origin === publicUrlOf(reach)?.origin) return true;
  // Parsed with the scheme of the page, so that an explicit default port makes no difference.
  const own = hostUrl(host, origin.protocol);
  if (own === null) return false;
  const isSameMachine = isLoopbackName(origin.hostname) && isLoopbackName(own.hostname) && origin.port === own.port;
  return isSameMachine || origin.host === own.host;
}
