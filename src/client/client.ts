import type { OperationRequest, OperationResult } from '../api/contract.ts';
import { OPERATION_NAMES, type OperationName, ROUTES, type Route } from '../api/routes/routes.ts';
import { REVISION_HEADER, readRevision } from '../api/wire/revision-header.ts';
import { DowserError } from '../model/errors/errors.ts';
import { isJsonObject, stated } from '../model/json/json-object.ts';
import { trimEndChars } from '../model/text/trim-chars.ts';
import { parsed, reasonOf, toError, unreachable } from './answer-errors.ts';
import { checkTimeout, DEFAULT_TIMEOUT_MS, Deadline, RUNTIME_TIMEOUTS, TimeoutError } from './deadline.ts';

export interface ClientOptions {
  /** Where the server is, such as `http://localhost:7470`. A path prefix is kept. */
  readonly baseUrl: string;
  /** Another `fetch`, for tests and special networks. Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * How long a request may take, its answer included, in milliseconds above 0. Default 30,000. `Infinity` sets no limit; the
   * runtime may have one of its own: the `fetch` of Node gives up after five minutes in which nothing comes.
   */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  /** Ends the request when it aborts; the call then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** In place of the client's. */
  readonly timeoutMs?: number;
}

/** The request is optional if nothing in it is required. */
type Call<N extends OperationName> =
  Record<never, never> extends OperationRequest<N>
    ? (request?: OperationRequest<N>, options?: CallOptions) => Promise<OperationResult<N>>
    : (request: OperationRequest<N>, options?: CallOptions) => Promise<OperationResult<N>>;

/** One function for each operation of the API. Every failure is a DowserError with the server's code. */
export type Client = { readonly [N in OperationName]: Call<N> };

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
}
const REQUEST_PARTS: readonly string[] = ['params', 'query', 'headers', 'body'] satisfies (keyof AnyRequest)[];

/** Talks to a Dowser server. Uses nothing but `fetch`, so it runs in browsers too. Throws INVALID_REQUEST without a `baseUrl`. */
export function createClient(options: ClientOptions): Client {
  checkOptions(options);
  // Behind a load balancer, the next request may reach another node: it waits for the last write of this client.
  let revision: string | null = null;
  const call = async (name: OperationName, request: AnyRequest, { signal, timeoutMs }: CallOptions) => {
    checkRequest(name, request);
    checkTimeout(timeoutMs);
    const { method, text: isText }: Route = ROUTES[name];
    const url = urlOf(options.baseUrl, ROUTES[name].path, request);
    const hasBody = request.body !== undefined;
    const init: RequestInit = {
      method,
      headers: {
        Accept: isText === true ? 'text/plain' : 'application/json',
        ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
        ...(revision === null ? {} : { [REVISION_HEADER]: revision }),
        ...options.headers,
        ...stated(request.headers ?? {}),
      },
      ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
    };
    const allowedMs = timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const deadline = new Deadline(allowedMs, signal);
    let response: Response;
    let text: string;
    try {
      response = await (options.fetch ?? globalThis.fetch)(url, { ...init, signal: deadline.signal });
      text = await response.text();
      revision = latest(revision, response.headers.get(REVISION_HEADER));
    } catch (cause) {
      if (deadline.isOver) throw tooLate(options.baseUrl, name, `within ${allowedMs} milliseconds`, cause);
      if (signal?.aborted) throw cause;
      const reason = reasonOf(cause);
      if (RUNTIME_TIMEOUTS.includes(reason))
        throw tooLate(options.baseUrl, name, `in the time that the runtime allows (${reason})`, cause);
      throw unreachable(options.baseUrl, `does not answer (${reason})`, cause);
    } finally {
      deadline.release();
    }
    if (response.ok && text === '') return undefined;
    if (response.ok && isText === true) return text;
    const json = parsed(text);
    if (json === undefined) throw unreachable(options.baseUrl, `answers ${response.status}, but not with JSON`);
    if (response.ok) return json;
    const error = toError(options.baseUrl, response.status, json);
    // The server found no JSON where nothing was sent.
    throw error.code === 'MALFORMED_JSON' && !hasBody ? misplaced(name, "has no 'body'") : error;
  };
  const client = Object.fromEntries(
    OPERATION_NAMES.map((name) => [
      name,
      (request: AnyRequest = {}, callOptions: CallOptions = {}) => call(name, request, callOptions),
    ]),
  );
  return client as unknown as Client;
}

/** Of two epochs, the one that was sent last: what is known of another one is no longer. */
function latest(known: string | null, sent: string | null): string | null {
  const [before, after] = [readRevision(known ?? ''), readRevision(sent ?? '')];
  if (after === null) return known;
  return before?.epoch === after.epoch && before.seq >= after.seq ? known : sent;
}

/** For callers without types. */
export function checkOptions(options: unknown): void {
  if (!isJsonObject(options) || typeof options.baseUrl !== 'string')
    throw wrongAddress('missing: it must be the address of a server');
  const { baseUrl, timeoutMs } = options;
  if (!HTTP.test(baseUrl)) throw wrongAddress(`${JSON.stringify(baseUrl)}: must begin with http:// or https://`);
  if (!URL.canParse(baseUrl)) throw wrongAddress(`${JSON.stringify(baseUrl)}: must be an address`);
  checkTimeout(timeoutMs);
}

const HTTP = /^https?:\/\//i;

function wrongAddress(what: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'baseUrl' of the client is ${what}.`, {
    field: 'baseUrl',
    hint: "For example createClient({ baseUrl: 'http://localhost:7470' }).",
  });
}

function checkRequest(name: OperationName, request: unknown): void {
  if (!isJsonObject(request)) throw misplaced(name, 'is not an object');
  for (const [part, value] of Object.entries(request)) {
    if (!REQUEST_PARTS.includes(part)) throw misplaced(name, `has '${part}' outside of 'body'`);
    if (part !== 'body' && value !== undefined && !isJsonObject(value)) {
      throw misplaced(name, `has '${part}' outside of 'body', where it can only be an object of URL parameters`);
    }
  }
  const { params = {} } = request as AnyRequest;
  const names = [...ROUTES[name].path.matchAll(PARAMETER)].map(([, parameter]) => parameter!);
  for (const parameter of names) {
    const value: unknown = params[parameter];
    if (typeof value === 'string' && value !== '') continue;
    const state = typeof value === 'string' ? 'empty' : value == null ? 'missing' : 'not text';
    throw new DowserError('INVALID_REQUEST', `'params.${parameter}' of the request of ${name}() is ${state}.`, {
      field: `params.${parameter}`,
      hint: `Call it as ${name}({ params: { ${names.map((one) => `${one}: '...'`).join(', ')} } }).`,
    });
  }
}

function misplaced(name: OperationName, what: string): DowserError {
  return new DowserError('INVALID_REQUEST', `The request of ${name}() ${what}.`, {
    field: 'body',
    hint: "Put the data into 'body', as in search({ body: { query: 'weather' } }).",
  });
}

/** `{name}` or `{name*}` in the path of a route. */
const PARAMETER = /\{(\w+)\*?\}/g;

export function urlOf(baseUrl: string, template: string, { params = {}, query = {} }: AnyRequest): string {
  const path = template.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
  return `${trimEndChars(baseUrl, '/')}${path}${search}`;
}

function tooLate(baseUrl: string, name: OperationName, allowed: string, cause: unknown): DowserError {
  const message = `The server at ${baseUrl} has not answered ${name}() ${allowed}.`;
  return new DowserError('SERVER_UNREACHABLE', message, {
    hint: 'It may be busy, and may still finish the request. Try again, or allow more time with timeoutMs.',
    cause: new TimeoutError(message, { cause }),
  });
}
