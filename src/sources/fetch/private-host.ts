import { BlockList, isIP } from 'node:net';
import { trimEndChars } from '../../model/text/trim-chars.ts';

/** Address ranges outside the public network: the special-purpose registries of IANA (RFC 6890). */
const PRIVATE = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  PRIVATE.ipv4.addSubnet(net, prefix, 'ipv4');
// IPv6 ranges that embed an IPv4 address, which a gateway may extract.
for (const [net, prefix] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  PRIVATE.ipv6.addSubnet(net, prefix, 'ipv6');

/** Local domain names (RFC 6761, 6762, 8375 and the reserved `internal`). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/;

/**
 * Whether a host, as `URL` spells it, is this machine or in a private network. Names are not resolved. A name without a dot
 * is private: public names have a domain.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = trimEndChars(hostname.replace(/^\[|\]$/g, ''), '.').toLowerCase();
  const family = ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(host)];
  if (family !== undefined) return PRIVATE[family].check(host, family);
  return !host.includes('.') || PRIVATE_NAME.test(host);
}
