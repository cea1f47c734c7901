import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withPublicConnections } from './public-connections.ts';

let server: Server;
let requests: number;
let url: string;

beforeEach(async () => {
  requests = 0;
  server = createServer((_, response) => {
    requests++;
    response.setHeader('Connection', 'close').end('secret');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A name, not an address: the check of the address itself would refuse this one.
  url = `http://localhost:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const get = async (): Promise<string> => (await fetch(url)).text();

it('closes a connection to a private address before a request is sent', async () => {
  await expect(withPublicConnections('localhost', get)).rejects.toThrow('fetch failed');
  expect(requests).toBe(0);
});

it('leaves other hosts alone, and all of them afterwards', async () => {
  expect(await withPublicConnections('example.com', get)).toBe('secret');
  await withPublicConnections('localhost', get).catch(() => undefined);
  expect(await get()).toBe('secret');
  expect(requests).toBe(2);
});

it('guards a host until the last of several readings of it ends', async () => {
  let end = () => {};
  const long = withPublicConnections('localhost', () => new Promise<void>((resolve) => (end = resolve)));
  await withPublicConnections('localhost', async () => undefined);
  await expect(get()).rejects.toThrow('fetch failed');
  end();
  await long;
  expect(await get()).toBe('secret');
});
