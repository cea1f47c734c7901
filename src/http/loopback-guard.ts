import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';

/** Whether a host name can only mean this machine. Takes `[::1]` with and without brackets. */
export function isLoopbackName(name: string): boolean {
  const host = name.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(host);
}

/** Where the server can be reached, as far as it decides which pages may ask. */
export interface Reach {
  /** Bound to loopback, where anyone on the machine may write. */
  readonly loopbackOnly: boolean;
  readonly publicUrl?: string | undefined;
}

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

const isNameOf = (url: URL | null, publicUrl: string | undefined): boolean =>
  url !== null && publicUrl !== undefined && url.hostname === urlOf(publicUrl)?.hostname;

/**
 * Whether the server is for others too, so that pages of any site may read what the standards make public. One that is
 * bound to loopback is so only with a public address, which somebody else then passes on to it.
 */
export function isPublic({ loopbackOnly, publicUrl }: Reach): boolean {
  if (!loopbackOnly) return true;
  const url = publicUrl === undefined ? null : urlOf(publicUrl);
  return url !== null && !isLoopbackName(url.hostname);
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps pages of other sites away: they know no password, but a browser on the right network sends what they ask. A page
 * that made its own name resolve to 127.0.0.1 is known by the Host it sends, any other by its Origin. Programs send no
 * Origin and are let through. Where the server is public, a foreign page may still send reads; whether it may see the
 * answer is for the CORS headers to say.
 */
export function checkRequestSource(method: string, headers: Headers, reach: Reach): void {
  const host = headers.get('host') ?? '';
  if (reach.loopbackOnly) checkLoopbackHost(host, reach);
  const origin = headers.get('origin');
  if (origin === null || (READS.has(method) && isPublic(reach))) return;
  if (isOwnOrigin(urlOf(origin), host, reach)) return;
  throw new DowserError('FORBIDDEN', `A page of ${showValue(origin)} may not ask this registry.`, {
    field: 'Origin',
    hint: reach.loopbackOnly
      ? "Pages of this machine may; to serve others, set 'public_url' or bind the server with the setting 'host'."
      : "Pages of the server's own address may; behind a proxy, set 'public_url' to the address that people see.",
  });
}

function checkLoopbackHost(host: string, { publicUrl }: Reach): void {
  const url = urlOf(`http://${host}`);
  if (url !== null && (isLoopbackName(url.hostname) || isNameOf(url, publicUrl))) return;
  throw new DowserError('FORBIDDEN', `The Host of the request is ${showValue(host)}, not this machine.`, {
    field: 'Host',
    hint: "Use http://localhost, set 'public_url', or bind the server to another address with the setting 'host'.",
  });
}

function isOwnOrigin(origin: URL | null, host: string, { loopbackOnly, publicUrl }: Reach): boolean {
  if (origin === null) return false;
  if (isNameOf(origin, publicUrl)) return true;
  if (loopbackOnly) return isLoopbackName(origin.hostname);
  // Read with the page's own scheme, so that a default port that only one of the two spells out makes no difference.
  return origin.host !== '' && origin.host === urlOf(`${origin.protocol}//${host}`)?.host;
}
