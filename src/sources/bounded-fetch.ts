import { DowserError } from '../model/errors.ts';
import { publicUrl } from './secret-references.ts';

/** Limits an answer to `maxBytes`. Reading further throws, and the transfer stops. */
export function boundedBody(response: Response, maxBytes: number): Response {
  const { body } = response;
  if (body === null) return response;
  let size = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size <= maxBytes) controller.enqueue(chunk);
      else controller.error(tooLarge(maxBytes));
    },
  });
  const bounded = new Response(body.pipeThrough(counter), response);
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
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
