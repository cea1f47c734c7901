import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Client,
  ProtocolError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { DowserError } from '../../model/errors/errors.ts';
import { boundedBody, parseAddress } from '../fetch/bounded-fetch.ts';
import { sameSiteFetch } from '../fetch/same-site-fetch.ts';
import type { SourceLimits } from '../source.ts';
import { watchAnswer, whenStreamEnds } from './answer-streams.ts';
import { type ChildOptions, ChildTransport } from './child-transport.ts';
import { connectionFailure } from './connection-failure.ts';
import type { McpServerSpec } from './mcp-source.ts';
import { checkNotPrivate } from './sign-in/sign-in-fetch.ts';
import type { StoredSignIn } from './sign-in/stored-sign-in.ts';
import { watchStart } from './start-watch.ts';
import { watched, within } from './time-limit.ts';

export interface McpConnection {
  readonly client: Client;
  readonly transport: 'stdio' | 'streamable-http' | 'sse';
}

export interface ConnectOptions {
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
  readonly version: string;
  /** The sign-in of the server, if there is one. */
  readonly signIn?: StoredSignIn | undefined;
  /** Called while a program takes long to start. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** How a program is kept and ended. Default: as for a reading, which is short. */
  readonly child?: Pick<ChildOptions, 'grace' | 'isGuarded'> | undefined;
}

/** A connection that its owner closes. */
export interface OpenMcpServer extends McpConnection {
  /** Whether it speaks the revision without sessions. */
  readonly isModern: boolean;
  /** The process; undefined for a server at an address. */
  readonly child: ChildTransport | undefined;
  /** Why a request failed, for people. */
  failure(thrown: unknown): DowserError;
  /** Calls `changed` when the tools of the server may no longer be those of the last list, until the signal aborts. */
  watchTools(changed: () => void, signal: AbortSignal): void;
  /** Called once, when the connection has closed: by `close`, or because the server ended it. */
  onClose(closed: () => void): void;
  close(): Promise<void>;
}

/** The first revision without a handshake. A server that supports only newer revisions refuses `initialize`. */
const MODERN = '2026-07-28';

/** Variables that programs need for the network and their caches. None holds a key. */
const INHERITED = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['TMPDIR', 'LANG', 'LC_ALL', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'NODE_EXTRA_CA_CERTS'],
  ...['npm_config_registry', 'npm_config_cache', 'UV_CACHE_DIR', 'SSL_CERT_FILE', 'DOCKER_HOST'],
];

/** Lets npx print a line for each download. Without it, a long download looks like a hanging program. */
const TELLS_PROGRESS = { npm_config_loglevel: 'http' };

/**
 * Connects. All references of the spec are filled in. Throws SOURCE_UNREACHABLE, or FORBIDDEN if the server requires
 * authorization.
 */
export async function openMcpServer(spec: McpServerSpec, options: ConnectOptions): Promise<OpenMcpServer> {
  const opened: Opened[] = [];
  const heard: Heard = { answer: undefined, refusal: undefined };
  const { limits, signal } = options;
  const close = async () => {
    await Promise.all(opened.map(({ client }) => client.close().catch(() => {})));
    await Promise.all(opened.map(({ transport }) => transport.close().catch(() => {})));
  };
  const failure = (thrown: unknown) =>
    heard.refusal ?? ownErrorIn(thrown) ?? connectionFailure(spec, thrown, childOf(opened), heard.answer);
  try {
    const { command } = spec;
    const connection =
      command === undefined
        ? await within(limits.connectMs, signal, 'did not start', (until) =>
            connectUrl(spec, options, until, opened, heard),
          )
        : await watched(
            signal,
            (giveUp) => watchStart({ limits, child: () => childOf(opened), onNotice: options.onNotice }, giveUp),
            (until) => connectCommand(spec, command, options, until, opened),
          );
    const { client } = connection;
    let whenClosed = () => {};
    let isClosed = false;
    client.onclose = () => {
      isClosed = true;
      whenClosed();
    };
    return {
      ...connection,
      isModern: client.getProtocolEra() === 'modern',
      child: childOf(opened),
      failure,
      watchTools: (changed, until) => watchTools(client, changed, until),
      onClose(closed) {
        whenClosed = closed;
        if (isClosed) closed();
      },
      close,
    };
  } catch (thrown) {
    await close();
    signal.throwIfAborted();
    throw failure(thrown);
  }
}

/** Connects, runs `use`, and always closes. Throws what `openMcpServer` throws. */
export async function withMcpServer<T>(
  spec: McpServerSpec,
  options: ConnectOptions,
  use: (connection: McpConnection, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { limits, signal } = options;
  const server = await openMcpServer(spec, options);
  try {
    return await within(limits.listMs, signal, 'did not finish its lists', (until) => use(server, until));
  } catch (thrown) {
    signal.throwIfAborted();
    throw server.failure(thrown);
  } finally {
    await server.close();
  }
}

/** A server of the revision without sessions tells only those who listen. One that cannot be listened to tells nobody. */
function watchTools(client: Client, changed: () => void, signal: AbortSignal): void {
  client.setNotificationHandler('notifications/tools/list_changed', changed);
  const tells = client.getServerCapabilities()?.tools?.listChanged === true;
  if (client.getProtocolEra() === 'modern' && tells) void listenAgain(client, changed, signal);
}

/** Before the next try to listen. */
const LISTEN_AGAIN_MS = 1000;

async function listenAgain(client: Client, changed: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const { closed } = await client.listen({ toolsListChanged: true }, { signal });
      // There may have been a change before.
      changed();
      if ((await closed) !== 'remote') return;
    } catch {
      return;
    }
    changed();
    await sleep(LISTEN_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** The last HTTP response. The errors of the library keep little of it. */
interface Heard {
  answer: Response | undefined;
  /** The refusal of our own `fetch`. */
  refusal: DowserError | undefined;
}

interface Opened {
  readonly client: Client;
  readonly transport: Transport;
}

const childOf = (opened: readonly Opened[]): ChildTransport | undefined =>
  opened.map(({ transport }) => transport).findLast((transport) => transport instanceof ChildTransport);

async function connect(
  transport: Transport,
  mode: VersionNegotiationMode,
  { limits, version }: ConnectOptions,
  until: AbortSignal,
  opened: Opened[],
): Promise<Client> {
  const client = new Client({ name: 'dowser', version }, { versionNegotiation: { mode } });
  // A broken stream also fails the request that waits for it.
  client.onerror = () => {};
  opened.push({ client, transport });
  // Longer than the watch over the start, which knows the reason.
  const timeout = limits.connectMs + (transport instanceof ChildTransport ? limits.startMs : 0);
  await client.connect(transport, { timeout, signal: until });
  return client;
}

/**
 * Tries the older handshake first: nearly every server answers it. Trying the newer one first would start many processes
 * twice, because servers exit at an unknown request.
 */
async function connectCommand(
  { args = [], env, cwd }: McpServerSpec,
  command: string,
  options: ConnectOptions,
  until: AbortSignal,
  opened: Opened[],
): Promise<McpConnection> {
  const child = () =>
    new ChildTransport({
      command: command.replace(/^~(?=\/)/, () => homedir()),
      args,
      env: { ...getDefaultEnvironment(), ...inherited(), ...TELLS_PROGRESS, ...env },
      maxBytes: options.limits.maxBytes,
      cwd,
      ...options.child,
    });
  try {
    return { client: await connect(child(), 'legacy', options, until, opened), transport: 'stdio' };
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError)) throw thrown;
    return { client: await connect(child(), { pin: MODERN }, options, until, opened), transport: 'stdio' };
  }
}

function inherited(): Record<string, string> {
  const found = INHERITED.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(found.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function connectUrl(
  spec: McpServerSpec,
  options: ConnectOptions,
  until: AbortSignal,
  opened: Opened[],
  heard: Heard,
): Promise<McpConnection> {
  const { url, headers } = parseAddress(spec.url ?? '');
  const requestInit = { headers: { ...headers, ...spec.headers } };
  const { signIn, limits } = options;
  const authProvider = signIn === undefined ? {} : { authProvider: signIn.transportAuth(limits.connectMs) };
  const fetch = async (input: string | URL, init: RequestInit = {}) => {
    const sent = withUserAgent(forTarget(url, new URL(input), init, spec.headers), options.version);
    const answer = boundedBody(await sameSiteFetch(input, sent), limits.maxBytes, 'event');
    if (answer.status === 401) signIn?.noteRefused(answer, new Headers(sent.headers).get('authorization'));
    return answer;
  };
  const heardFetch = async (input: string | URL, init?: RequestInit) => {
    heard.answer = undefined;
    try {
      heard.answer = await fetch(input, init);
    } catch (thrown) {
      if (thrown instanceof DowserError) heard.refusal = thrown;
      throw thrown;
    }
    return heard.answer;
  };
  // A server need not support GET, so ignore its answer.
  const postFetch = async (input: string | URL, init?: RequestInit) =>
    init?.method === 'POST' ? watchAnswer(await heardFetch(input, init)) : fetch(input, init);
  if (spec.transport !== 'sse') {
    try {
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit,
        ...authProvider,
        fetch: postFetch,
        reconnectionOptions: {
          maxRetries: 0,
          initialReconnectionDelay: 1,
          maxReconnectionDelay: 1,
          reconnectionDelayGrowFactor: 1,
        },
      });
      return { client: await connect(transport, 'auto', options, until, opened), transport: 'streamable-http' };
    } catch (thrown) {
      // Only these answers may come from a server with the older transport.
      const status = thrown instanceof SdkHttpError ? thrown.status : 0;
      if (spec.transport !== undefined || ![400, 404, 405, 406, 415, 501].includes(status)) throw thrown;
      until.throwIfAborted();
    }
  }
  // One stream has all answers. The library would open another, where the server knows nothing of this connection.
  const oneStream = async (input: string | URL, init?: RequestInit) => {
    const answer = await heardFetch(input, init);
    // The library's error would have no status. With a sign-in, it tries that first.
    if (init?.method === 'POST' && !answer.ok && signIn === undefined) throw httpError(answer);
    return whenStreamEnds(answer, () => void transport.close());
  };
  const transport = new SSEClientTransport(url, { requestInit, ...authProvider, fetch: oneStream });
  return { client: await connect(transport, 'legacy', options, until, opened), transport: 'sse' };
}

const httpError = ({ status, statusText }: Response): SdkHttpError =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `The server answers ${status}.`, { status, statusText });

/** The request as it may be sent. The library also asks the issuer of a sign-in, which must not get the headers of the user. */
function forTarget(server: URL, target: URL, init: RequestInit, headers: McpServerSpec['headers'] = {}): RequestInit {
  if (target.origin === server.origin) return init;
  checkNotPrivate(server, target);
  const sent = new Headers(init.headers);
  for (const name of Object.keys(headers)) sent.delete(name);
  return { ...init, headers: sent };
}

/** The user may send another one. */
function withUserAgent(init: RequestInit, version: string): RequestInit {
  const headers = new Headers(init.headers);
  if (!headers.has('User-Agent')) headers.set('User-Agent', `dowser/${version}`);
  return { ...init, headers };
}

/** The refusal of our own `fetch`, inside the library's error. */
function ownErrorIn(thrown: unknown): DowserError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) if (error instanceof DowserError) return error;
  return undefined;
}
