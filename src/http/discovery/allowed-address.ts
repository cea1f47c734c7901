import { lookup } from 'node:dns/promises';
import { DowserError } from '../../model/errors.ts';
import { parseAddress } from '../../sources/bounded-fetch.ts';
import { isPrivateHost } from '../../sources/private-host.ts';

/**
 * A registered address must not make this server call its private network (SSRF). Throws FORBIDDEN for a private or
 * link-local address, by its spelling or by what its name resolves to, and INVALID_REQUEST for anything but http and https.
 */
export async function checkAllowedAddress(address: string, allowPrivate: boolean): Promise<void> {
  const { url } = parseAddress(address);
  if (allowPrivate) return;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const resolved = isPrivateHost(host) ? [] : await lookup(host, { all: true }).catch(() => []);
  if (!isPrivateHost(host) && !resolved.some((one) => isPrivateHost(one.address))) return;
  throw new DowserError('FORBIDDEN', `${url.host} is an address of a private network.`, {
    field: 'url',
    hint: "Set 'discovery_private_addresses' to true if this server may call its own network.",
  });
}
