import { AsyncLocalStorage } from 'node:async_hooks';
import { type LookupAddress, lookup as resolve } from 'node:dns';
import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { DowserError } from '../../model/errors/errors.ts';
import { isPrivateHost } from './private-host.ts';

/** How names are resolved, and which hosts are private. Tests have names and networks of their own. */
export interface Network {
  resolve(host: string): Promise<readonly LookupAddress[]>;
  isPrivate(hostOrAddress: string): boolean;
}

const INTERNET: Network = {
  resolve: (host) =>
    new Promise((done, fail) =>
      resolve(host, { all: true }, (error, found) => (error === null ? done(found) : fail(error))),
    ),
  isPrivate: isPrivateHost,
};

const guarded = new AsyncLocalStorage<Network>();

/**
 * While `work` runs, it connects to public addresses only, whatever host a document or a redirect names: every request resolves its
 * host, checks each address, and connects to what was checked. Connections that others have opened are not used. For work that
 * somebody else's text asked for.
 */
export function onlyPublic<T>(work: () => Promise<T>, network: Network = guarded.getStore() ?? INTERNET): Promise<T> {
  return guarded.run(network, work);
}

/** `fetch` for the addresses of sources. It follows no redirect inside `onlyPublic`: ask for each hop. */
export function sourceFetch(input: string | URL, init: RequestInit = {}): Promise<Response> {
  const network = guarded.getStore();
  return network === undefined ? fetch(input, init) : pinnedFetch(new URL(input), init, network);
}

/** Whether a host is private, by its spelling or by one of the addresses that it has now. An unknown name is not. */
export async function leadsToPrivate(hostname: string, network: Network = guarded.getStore() ?? INTERNET) {
  return (await networkOf(hostname, network)) === 'private';
}

/** Where a host is now. `unknown`: its name has no address. */
export async function networkOf(
  hostname: string,
  network: Network = guarded.getStore() ?? INTERNET,
): Promise<'private' | 'public' | 'unknown'> {
  const host = bare(hostname);
  if (network.isPrivate(host)) return 'private';
  if (isIP(host) !== 0) return 'public';
  const found = await network.resolve(host).catch(() => []);
  if (found.length === 0) return 'unknown';
  return found.some(({ address }) => network.isPrivate(address)) ? 'private' : 'public';
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

export class PrivateHost extends DowserError {
  constructor(host: string) {
    super('FORBIDDEN', `${host} is an address of a private network.`, {
      field: 'url',
      hint: "Set 'discovery_private_addresses' to true if this server may call its own network.",
    });
  }
}

/** The checked addresses of a host. Throws FORBIDDEN if one of them is private. */
async function checkedAddresses(url: URL, network: Network): Promise<readonly LookupAddress[]> {
  const host = bare(url.hostname);
  if (network.isPrivate(host)) throw new PrivateHost(url.host);
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }];
  const found = await network.resolve(host);
  if (found.some(({ address }) => network.isPrivate(address))) throw new PrivateHost(url.host);
  return found;
}

async function pinnedFetch(url: URL, init: RequestInit, network: Network): Promise<Response> {
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  const addresses = await checkedAddresses(url, network);
  // The Fetch standard writes the body and its headers: a form, a text, bytes.
  const { headers, method, body } = new Request(url, { ...init, signal: null });
  const bytes = body === null ? undefined : new Uint8Array(await new Response(body).arrayBuffer());
  const options: RequestOptions = {
    method,
    headers: { 'accept-encoding': 'gzip, deflate, br', ...Object.fromEntries(headers) },
    // A connection of its own: an open one may lead elsewhere.
    agent: false,
    ...(signal === undefined ? {} : { signal }),
    lookup: (_host, { all }, done) => {
      const first = addresses[0];
      if (first === undefined) done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
      else if (all === true) done(null, [...addresses]);
      else done(null, first.address, first.family);
    },
  };
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((done, fail) => {
    const request: ClientRequest = send(url, options, (answer) => {
      try {
        done(toResponse(url, answer));
      } catch (thrown) {
        answer.destroy();
        fail(thrown);
      }
    });
    request.once('error', (error) => fail(signal?.aborted === true ? signal.reason : error));
    request.end(bytes);
  });
}

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
const WITHOUT_BODY: readonly (number | undefined)[] = [204, 205, 304];

function toResponse(url: URL, answer: IncomingMessage): Response {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(answer.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const decoder = DECODERS[headers.get('content-encoding')?.toLowerCase() ?? ''];
  let stream: Readable = answer;
  if (decoder !== undefined) {
    const decoded = decoder();
    answer.once('error', (error) => decoded.destroy(error));
    decoded.once('close', () => answer.destroy());
    stream = answer.pipe(decoded);
    for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  }
  const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
  const isEmpty = WITHOUT_BODY.includes(status);
  if (isEmpty) answer.resume();
  const body = isEmpty ? null : (Readable.toWeb(stream) as ReadableStream<Uint8Array>);
  const response = new Response(body, { status, statusText, headers });
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}
