import { DowserError } from '../../model/errors/errors.ts';
import { publicUrl } from '../secrets/secret-references.ts';

/**
 * Limits an answer to `maxBytes`, whatever type it says it has. With `each: 'event'`, a stream of events may go on, and each of them has
 * the limit. Reading further throws, and the transfer stops.
 */
export function boundedBody(response: Response, maxBytes: number, each: 'answer' | 'event' = 'answer'): Response {
  const { body, headers } = response;
  if (body === null) return response;
  const isStream = each === 'event' && isEventStream(headers);
  let size = 0;
  let isLineStart = false;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const event = isStream ? lastEventIn(chunk, isLineStart) : -1;
      isLineStart = chunk.at(-1) === NEWLINE;
      size = event === -1 ? size + chunk.byteLength : chunk.byteLength - event;
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.error(tooLarge(maxBytes));
    },
  });
  const bounded = new Response(body.pipeThrough(counter), response);
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
}

export const isEventStream = (headers: Headers): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Where the last event of a part of a stream begins: behind an empty line. -1 without one. */
function lastEventIn(chunk: Uint8Array, isLineStart: boolean): number {
  for (let at = chunk.lastIndexOf(NEWLINE); at >= 0; at = at === 0 ? -1 : chunk.lastIndexOf(NEWLINE, at - 1)) {
    const before = chunk[at - 1] === RETURN ? at - 2 : at - 1;
    if (before < 0 ? isLineStart : chunk[before] === NEWLINE) return at + 1;
  }
  return -1;
}

export function tooLarge(maxBytes: number): DowserError {
  return new DowserError('BODY_TOO_LARGE', `The answer is larger than ${maxBytes} bytes.`, {
    hint: "Raise the setting 'source_max_bytes' to allow it.",
  });
}

/** Runtimes and libraries put the reason of a failed request in nested causes. */
export function networkReason(thrown: unknown): string {
  let deepest = thrown as { readonly cause?: unknown; readonly code?: unknown; readonly message?: string };
  for (let depth = 0; depth < 5 && deepest.cause instanceof Error; depth++) deepest = deepest.cause;
  return typeof deepest.code === 'string' ? deepest.code : (deepest.message ?? String(thrown));
}

/**
 * An http or https address for `fetch`. It moves a user and password to a header, because `fetch` refuses them in an
 * address. Throws INVALID_REQUEST for anything else.
 */
export function parseAddress(text: string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new DowserError('INVALID_REQUEST', `'${publicUrl(text).text}' is not an http or https address.`, {
      field: 'url',
      hint: 'Use an address such as https://example.com/mcp, without spaces.',
    });
  }
  const url = new URL(text);
  if (url.username === '' && url.password === '') return { url, headers: {} };
  const user = [url.username, url.password].map((part) => decodedUser(part, text)).join(':');
  url.username = '';
  url.password = '';
  return { url, headers: { Authorization: `Basic ${Buffer.from(user).toString('base64')}` } };
}

function decodedUser(part: string, address: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new DowserError(
      'INVALID_REQUEST',
      `The user or password of '${publicUrl(address).text}' cannot be decoded.`,
      {
        field: 'url',
        hint: 'Write a percent sign as %25.',
      },
    );
  }
}
