import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';

/** Whether a host name always means this machine. Accepts `[::1]` with and without brackets. */
export function isLoopbackName(name: string): boolean {
  const host = name.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(host);
}

/** How the server can be reached, which decides which pages may send requests. */
export interface Reach {
  /** Listens on loopback, where any program of the machine may write. */
  readonly loopbackOnly: boolean;
  readonly publicUrl?: string | undefined;
}

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

const isNameOf = (url: URL | null, publicUrl: string | undefined): boolean =>
  url !== null && publicUrl !== undefined && url.hostname === urlOf(publicUrl)?.hostname;

/**
 * Whether the server is public, so that pages of any origin may read the standard routes. A server on loopback is public
 * only with a `publicUrl`, behind a proxy.
 */
export function isPublic({ loopbackOnly, publicUrl }: Reach): boolean {
  if (!loopbackOnly) return true;
  const url = publicUrl === undefined ? null : urlOf(publicUrl);
  return url !== null && !isLoopbackName(url.hostname);
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects cross-origin requests: a browser in the right network would send them for any page. DNS rebinding is detected by
 * Host, other pages by Origin. Programs send no Origin and pass. On a public server, other origins may still send reads; the
 * CORS headers decide whether they see the answer.
 */
export function checkRequestSource(method: string, headers: Headers, reach: Reach): void {
  const host = headers.get('host') ?? '';
  if (reach.loopbackOnly) checkLoopbackHost(host, reach);
  const origin = headers.get('origin');
  if (origin === null || (READS.has(method) && isPublic(reach))) return;
  if (isOwnOrigin(urlOf(origin), host, reach)) return;
  throw new DowserError('FORBIDDEN', `Cross-origin request from ${showValue(origin)} refused.`, {
    field: 'Origin',
    hint: reach.loopbackOnly
      ? "Use a page of this machine. To allow others, set 'public_url', or change the setting 'host'."
      : "Use a page of the server's own address. Behind a proxy, set 'public_url' to the public address.",
  });
}

function checkLoopbackHost(host: string, { publicUrl }: Reach): void {
  const url = urlOf(`http://${host}`);
  if (url !== null && (isLoopbackName(url.hostname) || isNameOf(url, publicUrl))) return;
  throw new DowserError('FORBIDDEN', `The Host header is ${showValue(host)}, which is not this machine.`, {
    field: 'Host',
    hint: "Use http://localhost, set 'public_url', or change the setting 'host'.",
  });
}

function isOwnOrigin(origin: URL | null, host: string, { loopbackOnly, publicUrl }: Reach): boolean {
  if (origin === null) return false;
  if (isNameOf(origin, publicUrl)) return true;
  if (loopbackOnly) return isLoopbackName(origin.hostname);
  // Parsed with the scheme of the page, so that an explicit default port makes no difference.
  return origin.host !== '' && origin.host === urlOf(`${origin.protocol}//${host}`)?.host;
}
