import type { FetchLike } from '@modelcontextprotocol/client';
import { DowserError } from '../../../model/errors/errors.ts';
import { boundedBody } from '../../fetch/bounded-fetch.ts';
import { leadsToPrivate, onlyPublic } from '../../fetch/pinned-fetch.ts';
import { isPrivateHost } from '../../fetch/private-host.ts';
import { sameSiteFetch } from '../../fetch/same-site-fetch.ts';
import type { SourceLimits } from '../../source.ts';

/**
 * The `fetch` of a sign-in. A server names the addresses of its issuer, and a public server must not make this machine call
 * its private network. Redirects stay at the checked host.
 */
export function signInFetch(server: URL, limits: SourceLimits, version: string, signal: AbortSignal): FetchLike {
  return async (input, init = {}) => {
    const url = new URL(input);
    checkNotPrivate(server, url);
    const headers = new Headers(init.headers);
    headers.set('User-Agent', `dowser/${version}`);
    const until = AbortSignal.any([signal, AbortSignal.timeout(limits.listMs)]);
    const ask = () => sameSiteFetch(url, { ...init, headers, signal: until });
    const isInside = await leadsToPrivate(server.hostname);
    return boundedBody(await (isInside ? ask() : onlyPublic(ask)), limits.maxBytes);
  };
}

export function checkNotPrivate(server: URL, target: URL): void {
  if (isPrivateHost(server.hostname) || !isPrivateHost(target.hostname)) return;
  throw new DowserError('FORBIDDEN', `${server.origin} points to a private network (${target.host}).`, {
    field: 'url',
    hint: 'A public server must not send requests into a private network. If you trust it, use its private address.',
  });
}
