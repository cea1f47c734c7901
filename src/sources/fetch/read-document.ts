import { readFile, stat } from 'node:fs/promises';
import { DowserError } from '../../model/errors/errors.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { SourceContext } from '../source.ts';
import { boundedBody, networkReason, parseAddress, tooLarge } from './bounded-fetch.ts';
import { leadsToPrivate, onlyPublic, PrivateHost, sourceFetch } from './pinned-fetch.ts';

export interface FetchedDocument {
  /** The address after redirects. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lowercase. */
  readonly contentType: string;
  /** What the host calls this state of the document. Null where it does not say, and after a redirect. */
  readonly etag: string | null;
  /** Empty for an event stream, which never ends. */
  readonly text: string;
}

export interface FetchOptions extends Pick<SourceContext, 'limits'> {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The document that contains the address. Absent if the address comes from the user. */
  readonly namedBy?: URL;
}

/** A longer chain is probably a loop. */
const MAX_REDIRECTS = 5;
const MAX_ETAG_CHARS = 256;
const OWN_HEADERS = {
  Accept: 'application/json, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'User-Agent': 'dowser',
};

/**
 * Fetches a document, with any status. Public sites must not make this machine read its private network (SSRF): a private
 * address in a public document or redirect throws FORBIDDEN, also behind a public name. Throws SOURCE_UNREACHABLE on timeout, BODY_TOO_LARGE past the
 * limit.
 */
export async function fetchDocument(address: string, options: FetchOptions): Promise<FetchedDocument> {
  const { limits, signal } = options;
  const start = parseAddress(address);
  let url = start.url;
  let headers: Record<string, string> = { ...OWN_HEADERS, ...start.headers, ...options.headers };
  const isFromOutside = !(await leadsToPrivate((options.namedBy ?? url).hostname));
  const until = AbortSignal.any([signal, AbortSignal.timeout(limits.listMs)]);
  try {
    for (let hops = 0; ; hops++) {
      const ask = () => sourceFetch(url, { headers, redirect: 'manual', signal: until });
      const response = await (isFromOutside ? onlyPublic(ask) : ask()).catch((thrown: unknown) => {
        throw thrown instanceof PrivateHost ? privateTarget(address, url) : thrown;
      });
      const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (next === null) {
        const document = await toDocument(response, url, limits.maxBytes);
        return hops === 0 ? document : { ...document, etag: null };
      }
      await response.body?.cancel();
      if (hops === MAX_REDIRECTS) throw unreachable(address, `redirects more than ${MAX_REDIRECTS} times`);
      const target = parseAddress(new URL(next, url).href).url;
      if (url.protocol === 'https:' && target.protocol === 'http:')
        throw unreachable(address, 'redirects from https to http');
      // Never send a key to another site.
      if (target.origin !== url.origin) headers = OWN_HEADERS;
      url = target;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof DowserError) throw thrown;
    if (until.aborted) throw unreachable(address, `does not answer within ${limits.listMs / 1000} s`);
    throw unreachable(address, `does not answer (${networkReason(thrown)})`, thrown);
  }
}

async function toDocument(response: Response, url: URL, maxBytes: number): Promise<FetchedDocument> {
  const contentType = (response.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const { status } = response;
  const said = response.headers.get('etag');
  const etag = said === null || said.length > MAX_ETAG_CHARS ? null : said;
  if (contentType === 'text/event-stream') {
    await response.body?.cancel();
    return { url: url.href, status, contentType, etag, text: '' };
  }
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge(maxBytes);
  }
  return { url: url.href, status, contentType, etag, text: await boundedBody(response, maxBytes).text() };
}

function privateTarget(address: string, target: URL): DowserError {
  return new DowserError('FORBIDDEN', `${publicUrl(address).text} points to a private network (${target.host}).`, {
    field: 'url',
    hint: 'Give the private address itself to read it.',
  });
}

export function unreachable(address: string, why: string, cause?: unknown): DowserError {
  return new DowserError('SOURCE_UNREACHABLE', `${publicUrl(address).text} ${why}.`, {
    hint: 'Check the address and the network.',
    cause,
  });
}

/** Fetches a document. Throws if the answer is not a success. */
export async function fetchText(address: string, options: FetchOptions): Promise<string> {
  const { status, text } = await fetchDocument(address, options);
  if (status === 200) return text;
  if (status === 401 || status === 403) {
    throw new DowserError('FORBIDDEN', `${publicUrl(address).text} answers ${status}: it requires authorization.`, {
      hint: `Send its key with --header, such as --header 'Authorization: Bearer \${API_KEY}'.`,
    });
  }
  throw unreachable(address, `answers ${status}`);
}

/** The text of a file. Throws NOT_FOUND or INVALID_FILE. */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new DowserError('INVALID_FILE', `${file} is not a file.`);
    if (found.size > maxBytes) {
      throw new DowserError('INVALID_FILE', `${file} has ${found.size} bytes; the limit is ${maxBytes}.`, {
        hint: "Raise the setting 'source_max_bytes' to allow it.",
      });
    }
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  } catch (thrown) {
    throw cannotRead(file, thrown);
  }
}

/** The error of a file or folder that cannot be read. */
export function cannotRead(path: string, cause: unknown, hint?: string): DowserError {
  if (cause instanceof DowserError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new DowserError('NOT_FOUND', `File or folder not found: ${path}.`, { hint, cause });
  }
  return new DowserError('INVALID_FILE', `Cannot read ${path} (${code ?? message}).`, { cause });
}
