import { BlockList, isIP, isIPv6 } from 'node:net';
import type { AppContext } from './app-context.ts';

/** Where a request comes from, for limits and for the audit log. Null where there is no connection. */
export type AddressOf = (c: AppContext) => string | null;

/**
 * The address of the connection. If that is a trusted proxy, the last address of `X-Forwarded-For` that is none: whatever a
 * client writes into the header comes before it, so it cannot be forged. `trusted` has addresses and ranges such as
 * `10.0.0.0/8`.
 */
export function clientAddresses(trusted: readonly string[]): AddressOf {
  if (trusted.length === 0) return connectionAddress;
  const proxies = rangesOf(trusted);
  const isTrusted = (address: string) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  return (c) => {
    const connection = connectionAddress(c);
    const hops = (c.req.header('x-forwarded-for') ?? '').split(',').map(bareAddress);
    let from = connection;
    while (from !== null && isTrusted(from)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      from = before;
    }
    return from;
  };
}

function connectionAddress(c: AppContext): string | null {
  const { incoming } = (c.env ?? {}) as {
    readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  };
  const address = incoming?.socket?.remoteAddress;
  return address === undefined ? null : withoutMapping(address);
}

/** `::ffff:10.0.0.1` -> `10.0.0.1`. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/** ` [2001:db8::1]:443`, `10.0.0.1:443` -> the address. */
const bareAddress = (hop: string): string =>
  withoutMapping(
    hop
      .trim()
      .replace(/^\[(.*)\](?::\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  );

function rangesOf(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const one of trusted) {
    const [address = '', bits] = one.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
