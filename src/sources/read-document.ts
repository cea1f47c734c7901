import { open, stat } from 'node:fs/promises';
import { DowserError } from '../model/errors.ts';
import { boundedBody, networkReason, parseAddress, tooLarge } from './bounded-fetch.ts';
import { isPrivateHost } from './private-host.ts';
import { publicUrl } from './secret-references.ts';
import type { SourceContext } from './source.ts';

export interface FetchedDocument {
  /** Where the redirects led. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lower case. */
  readonly contentType: string;
  /** '' for an event stream, which has no end. */
  readonly text: string;
}

export interface FetchOptions extends Pick<SourceContext, 'limits'> {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** The document that named the address; without it, the address comes from the user. */
  readonly namedBy?: URL;
}

/** As many as browsers' predecessors followed; a longer chain is a circle. */
const MAX_REDIRECTS = 5;
const ACCEPT = 'application/json, text/markdown;q=0.9, text/plain;q=0.8, */*;q=0.5';

/**
 * Whatever http or https answers, of any status. What the open network says must not make this machine ask its own network:
 * an address that a public site names or redirects to, at any hop, throws FORBIDDEN when its host is private. Throws
 * SOURCE_UNREACHABLE when nothing answers in time, BODY_TOO_LARGE past the limit.
 */
export async function fetchDocument(address: string, options: FetchOptions): Promise<FetchedDocument> {
  const { limits, signal } = options;
  const start = parseAddress(address);
  let url = start.url;
  let headers: Record<string, string> = { Accept: ACCEPT, ...start.headers, ...options.headers };
  const isFromOutside = !isPrivateHost((options.namedBy ?? url).hostname);
  const until = AbortSignal.any([signal, AbortSignal.timeout(limits.listMs)]);
  try {
    for (let hops = 0; ; hops++) {
      if (isFromOutside && isPrivateHost(url.hostname)) throw privateTarget(address, url);
      const response = await fetch(url, { headers, redirect: 'manual', signal: until });
      const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      if (next === null) return await toDocument(response, url, limits.maxBytes);
      await response.body?.cancel();
      if (hops === MAX_REDIRECTS) throw unreachable(address, `redirects more than ${MAX_REDIRECTS} times`);
      const target = parseAddress(new URL(next, url).href).url;
      if (url.protocol === 'https:' && target.protocol === 'http:')
        throw unreachable(address, 'redirects from https to http');
      // A key is for the site it was given for.
      if (target.origin !== url.origin) headers = { Accept: ACCEPT };
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
  if (contentType === 'text/event-stream') {
    await response.body?.cancel();
    return { url: url.href, status, contentType, text: '' };
  }
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge(maxBytes);
  }
  return { url: url.href, status, contentType, text: await boundedBody(response, maxBytes).text() };
}

function privateTarget(address: string, target: URL): DowserError {
  return new DowserError('FORBIDDEN', `${publicUrl(address).text} leads into a private network (${target.host}).`, {
    field: 'url',
    hint: 'Name the private address itself, if it is meant to be read.',
  });
}

export function unreachable(address: string, why: string, cause?: unknown): DowserError {
  return new DowserError('SOURCE_UNREACHABLE', `${publicUrl(address).text} ${why}.`, {
    hint: 'Check the address and the network.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The text of an address that must be there. */
export async function fetchText(address: string, options: FetchOptions): Promise<string> {
  const { status, text } = await fetchDocument(address, options);
  if (status === 200) return text;
  throw unreachable(address, `answers ${status}`);
}

/** The text of a file. Throws NOT_FOUND or INVALID_FILE. */
export async function readTextFile(file: string, maxBytes: number): Promise<string> {
  try {
    const found = await stat(file);
    if (!found.isFile()) throw new DowserError('INVALID_FILE', `${file} is not a file.`);
    if (found.size > maxBytes) {
      throw new DowserError('INVALID_FILE', `${file} has ${found.size} bytes; ${maxBytes} are allowed.`, {
        hint: "Raise the setting 'source_max_bytes', if that is meant to be.",
      });
    }
    const handle = await open(file);
    try {
      return (await handle.readFile('utf8')).replace(/^\uFEFF/, '');
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof DowserError) throw thrown;
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new DowserError('NOT_FOUND', `There is no file ${file}.`, { cause: thrown });
    }
    throw new DowserError('INVALID_FILE', `${file} cannot be read (${code ?? message}).`, { cause: thrown });
  }
}
