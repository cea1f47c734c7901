import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Network, onlyPublic, sourceFetch } from './pinned-fetch.ts';
import { fetchDocument } from './read-document.ts';
import { sameSiteFetch } from './same-site-fetch.ts';

/** 127.0.0.1 is private here, and 127.0.0.2 a site of the internet. */
const PRIVATE = '127.0.0.1';
const PUBLIC = '127.0.0.2';
const addressesOf = new Map<string, string[]>();
const network: Network = {
  async resolve(host) {
    const known = addressesOf.get(host) ?? [];
    // A name may change its mind after each question.
    return [{ address: known.length > 1 ? known.shift()! : known[0]!, family: 4 }];
  },
  isPrivate: (host) => host === PRIVATE || host === 'localhost',
};

const LIMITS = { connectMs: 5000, startMs: 5000, listMs: 5000, totalMs: 5000, maxBytes: 10_000, maxItems: 10 };
let inside: Server;
let outside: Server;
let asked: string[];
let insidePort: number;
let outsidePort: number;
let location: string;

const listen = async (server: Server, host: string) => {
  await new Promise<void>((done) => server.listen(0, host, done));
  return (server.address() as AddressInfo).port;
};

beforeEach(async () => {
  asked = [];
  inside = createServer((request, response) => {
    asked.push(request.url!);
    response.end('secret');
  });
  outside = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(302, { location }).end();
    else if (request.url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    else response.end(`${request.method} public`);
  });
  insidePort = await listen(inside, PRIVATE);
  outsidePort = await listen(outside, PUBLIC);
  addressesOf.clear();
  addressesOf.set('site.example.com', [PUBLIC]);
  addressesOf.set('inside.example.com', [PRIVATE]);
});
afterEach(() => {
  for (const server of [inside, outside]) {
    server.closeAllConnections();
    server.close();
  }
});

const site = (path: string) => `http://site.example.com:${outsidePort}${path}`;
const get = (url: string, init?: RequestInit) => onlyPublic(async () => (await sourceFetch(url, init)).text(), network);

it('reads a public site, packed or not, with the method and body of the request', async () => {
  expect(await get(site('/'))).toBe('GET public');
  expect(await get(site('/packed'))).toBe('packed');
  expect(await get(site('/'), { method: 'POST', body: '{}' })).toBe('POST public');
});

it.each([
  ['by its address', () => `http://${PRIVATE}:${insidePort}/`],
  ['by its name', () => `http://localhost:${insidePort}/`],
  ['by what its name resolves to', () => `http://inside.example.com:${insidePort}/`],
])('refuses a private host %s', async (_, urlOf) => {
  await expect(get(urlOf())).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(asked).toEqual([]);
});

it('connects to the address that was checked, not to the next one of the name', async () => {
  addressesOf.set('moody.example.com', [PUBLIC, PRIVATE]);
  expect(await get(`http://moody.example.com:${outsidePort}/`)).toBe('GET public');
  await expect(get(`http://moody.example.com:${insidePort}/`)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(asked).toEqual([]);
});

it('checks every hop of a redirect', async () => {
  location = `http://inside.example.com:${insidePort}/hop`;
  const read = () => fetchDocument(site('/redirect'), { limits: LIMITS, signal: new AbortController().signal });
  await expect(onlyPublic(read, network)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  // The same site with another address: the name moved between the hops.
  addressesOf.set('moving.example.com', [PUBLIC, PRIVATE]);
  location = '/hop';
  const url = `http://moving.example.com:${outsidePort}/redirect`;
  await expect(onlyPublic(() => sameSiteFetch(url), network)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(asked).toEqual([]);
});

it('reads no private address that a public document names', async () => {
  const { signal } = new AbortController();
  const namedBy = new URL('http://site.example.com/ard.json');
  const read = () => fetchDocument(`http://inside.example.com:${insidePort}/`, { limits: LIMITS, signal, namedBy });
  await expect(onlyPublic(read, network)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('private network'),
  });
  expect(asked).toEqual([]);
});

it('uses no connection that others have opened', async () => {
  const url = `http://localhost:${insidePort}/open`;
  expect(await (await sourceFetch(url)).text()).toBe('secret');
  await expect(get(url)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(asked).toEqual(['/open']);
});
