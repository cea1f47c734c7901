import { DowserError } from '../../model/errors/errors.ts';
import { sourceFetch } from './pinned-fetch.ts';

const MAX_REDIRECTS = 5;
const OF_A_BODY = ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length'];

/**
 * `fetch` for requests with a key. It follows redirects within the same site only: the runtime's own `fetch` would send most
 * headers to any site. A form is never redirected: that of a token endpoint holds the code and the secrets of a sign-in.
 */
export async function sameSiteFetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
  let url = new URL(input);
  let request: RequestInit = { ...init, redirect: 'manual' };
  for (let hops = 0; ; hops++) {
    const response = await sourceFetch(url, request);
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    if (isForm(init)) throw redirected('redirects the request of a sign-in');
    if (hops === MAX_REDIRECTS) throw redirected(`redirects more than ${MAX_REDIRECTS} times`);
    const target = URL.canParse(location, url.href) ? new URL(location, url) : null;
    if (target === null) throw redirected(`redirects to '${location.slice(0, 200)}', which is not an address`);
    if (!isSameSite(url, target)) throw redirected(`redirects to another site (${target.origin})`);
    if (becomesGet(response.status, request.method)) {
      const { body: _body, ...rest } = request;
      const headers = new Headers(request.headers);
      for (const name of OF_A_BODY) headers.delete(name);
      request = { ...rest, headers, method: 'GET' };
    }
    url = target;
  }
}

function isForm({ body, headers }: RequestInit): boolean {
  const type = new Headers(headers).get('content-type') ?? '';
  return body instanceof URLSearchParams || /^application\/x-www-form-urlencoded\b/i.test(type);
}

/** The same origin, or the same host from http to https. */
function isSameSite(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:';
  return isUpgrade && from.hostname === to.hostname && from.port === '' && to.port === '';
}

/** The Fetch standard: only 307 and 308 repeat a POST. */
function becomesGet(status: number, method = 'GET'): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return status === 303 || ((status === 301 || status === 302) && method === 'POST');
}

function redirected(why: string): DowserError {
  return new DowserError('SOURCE_UNREACHABLE', `The server ${why}.`, {
    hint: 'Use the new address if you trust it. Dowser never sends a key to another site.',
  });
}
