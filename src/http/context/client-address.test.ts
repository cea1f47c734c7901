import { expect, it } from 'vitest';
import type { AppContext } from './app-context.ts';
import { clientAddresses } from './client-address.ts';

const PROXIES = ['10.0.0.1', '172.16.0.0/12', '2001:db8::/32'];
const from = (remoteAddress: string, forwarded?: string, trusted = PROXIES) =>
  clientAddresses(trusted)({
    env: { incoming: { socket: { remoteAddress } } },
    req: { header: (name: string) => (name === 'x-forwarded-for' ? forwarded : undefined) },
  } as unknown as AppContext);

it.each([
  ['trusts no proxy by default', '10.0.0.1', '203.0.113.9', [], '10.0.0.1'],
  ['does not believe a client', '203.0.113.5', '192.0.2.1', PROXIES, '203.0.113.5'],
  ['takes the address before the proxy', '10.0.0.1', '203.0.113.9', PROXIES, '203.0.113.9'],
  [
    'takes the last address that is no proxy',
    '10.0.0.1',
    '192.0.2.66, 203.0.113.9, 172.20.1.1',
    PROXIES,
    '203.0.113.9',
  ],
  ['reads ports and brackets', '::ffff:10.0.0.1', '[2001:db9::7]:4711', PROXIES, '2001:db9::7'],
  ['reads an IPv4 port', '2001:db8::1', '203.0.113.9:80', PROXIES, '203.0.113.9'],
  ['reads a mapped address', '10.0.0.1', '::ffff:203.0.113.9', PROXIES, '203.0.113.9'],
  ['stops at what is no address', '10.0.0.1', '203.0.113.9, unknown', PROXIES, '10.0.0.1'],
  ['has the address of a proxy that forwards nothing', '10.0.0.1', undefined, PROXIES, '10.0.0.1'],
  ['has the first proxy where all are trusted', '10.0.0.1', '172.16.0.9', PROXIES, '172.16.0.9'],
])('%s', (_, connection, forwarded, trusted, address) => {
  expect(from(connection, forwarded, trusted)).toBe(address);
});
