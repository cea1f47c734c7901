import { lookup } from 'node:dns/promises';
import { DowserError } from '../../model/errors.ts';
import { parseAddress } from '../../sources/bounded-fetch.ts';
import { isPrivateHost } from '../../sources/private-host.ts';
import { withPublicConnections } from './public-connections.ts';

/**
 * A registered address must not make this server call its private network (SSRF). Throws FORBIDDEN for a private or
 * link-local address, by its spelling or by what its name resolves to, and INVALID_REQUEST for anything but http and https.
 * While `read` runs, a name cannot change its mind either.
 */
export async function readAllowed<T>(address: string, allowPrivate: boolean, read: () => Promise<T>): Promise<T> {
  const { url } = parseAddress(address);
  if (allowPrivate) return read();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const resolved = isPrivateHost(host) ? [] : await lookup(host, { all: true }).catch(() => []);
  if (!isPrivateHost(host) && !resolved.some((one) => isPrivateHost(one.address))) {
    return withPublicConnections(host, read);
  }
  throw new DowserError('FORBIDDEN', `${url.host} is an address of a private network.`, {
    field: 'url',
    hint: "Set 'discovery_private_addresses' to true if this server may call its own network.",
  });
}
