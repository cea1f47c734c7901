import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';

/** Whether a host name can only mean this machine. Takes `[::1]` with and without brackets. */
export function isLoopbackName(name: string): boolean {
  const host = name.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(host);
}

function hostnameOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).hostname : null;
}

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Keeps web pages away from a server that is bound to loopback, where anyone on the machine may write. A page that
 * made its own name resolve to 127.0.0.1 is known by the Host it sends, a page of another site by its Origin.
 */
export function checkLoopbackRequest(method: string, headers: Headers): void {
  const host = headers.get('host') ?? '';
  const hostname = hostnameOf(`http://${host}`);
  if (hostname === null || !isLoopbackName(hostname)) {
    throw new DowserError('FORBIDDEN', `The Host of the request is ${showValue(host)}, not this machine.`, {
      field: 'Host',
      hint: "Use http://localhost, or bind the server to another address with the setting 'host'.",
    });
  }
  const origin = headers.get('origin');
  if (origin === null || READS.has(method)) return;
  const originHost = hostnameOf(origin);
  if (originHost !== null && isLoopbackName(originHost)) return;
  throw new DowserError('FORBIDDEN', `A page of ${showValue(origin)} may not change or search this registry.`, {
    field: 'Origin',
    hint: "Pages of this machine may; to serve others, bind the server with the setting 'host'.",
  });
}
