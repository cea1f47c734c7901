import { parseAddress } from '../../sources/fetch/bounded-fetch.ts';
import { leadsToPrivate, onlyPublic, PrivateHost } from '../../sources/fetch/pinned-fetch.ts';

/**
 * A registered address must not make this server call its private network (SSRF). Throws FORBIDDEN for a private or
 * link-local address, by its spelling or by what its name resolves to, and INVALID_REQUEST for anything but http and https.
 * While `read` runs, this holds for every address that a redirect or a document names, and for what a name resolves to later.
 */
export async function readAllowed<T>(address: string, allowPrivate: boolean, read: () => Promise<T>): Promise<T> {
  const { url } = parseAddress(address);
  if (allowPrivate) return read();
  if (await leadsToPrivate(url.hostname)) throw new PrivateHost(url.host);
  return onlyPublic(read);
}
