import { Readable } from 'node:stream';

/** A request as AWS's client passes it to its handler. */
interface AwsRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
}

interface AwsResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Readable;
}

/** `fetch` sets these itself and refuses them as input. */
const OWN_HEADERS = ['host', 'content-length', 'connection'];

/**
 * Sends the requests of AWS's client with `fetch`. The client's own handler uses HTTP/2 only, which private endpoints and
 * gateways on plain HTTP do not support.
 */
export class AwsFetchHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };

  async handle(
    request: AwsRequest,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<{ readonly response: AwsResponse }> {
    const { protocol, hostname, port, path, method, query = {}, body } = request;
    const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
    for (const [name, values] of Object.entries(query)) {
      for (const value of [values].flat()) url.searchParams.append(name, value ?? '');
    }
    const headers = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase()));
    const answer = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(abortSignal === undefined ? {} : { signal: abortSignal }),
    });
    return {
      response: {
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Readable.from([new Uint8Array(await answer.arrayBuffer())]),
      },
    };
  }

  destroy(): void {}
}
