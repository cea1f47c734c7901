import { homedir } from 'node:os';
import {
  Client,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  UnauthorizedError,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { DowserError } from '../../model/errors.ts';
import { boundedBody, networkReason, parseAddress } from '../bounded-fetch.ts';
import { sameSiteFetch } from '../same-site-fetch.ts';
import type { SourceLimits } from '../source.ts';
import { ChildTransport } from './child-transport.ts';
import type { McpServerSpec } from './mcp-source.ts';

export interface McpConnection {
  readonly client: Client;
  readonly transport: 'stdio' | 'streamable-http' | 'sse';
}

export interface ConnectOptions {
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
  readonly version: string;
}

/** The first revision without a handshake. A server that supports only newer revisions refuses `initialize`. */
const MODERN = '2026-07-28';

/** Variables that programs need for the network and their caches. None holds a key. */
const INHERITED = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['TMPDIR', 'LANG', 'LC_ALL', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'NODE_EXTRA_CA_CERTS'],
  ...['npm_config_registry', 'npm_config_cache', 'UV_CACHE_DIR', 'SSL_CERT_FILE', 'DOCKER_HOST'],
];

/**
 * Connects, runs `use`, and always closes. All references of the spec are filled in. Throws SOURCE_UNREACHABLE, or FORBIDDEN
 * if the server requires authorization.
 */
export async function withMcpServer<T>(
  spec: McpServerSpec,
  options: ConnectOptions,
  use: (connection: McpConnection, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const opened: Opened[] = [];
  const heard: Heard = { answer: undefined, refusal: undefined };
  const { limits, signal } = options;
  try {
    const connection = await within(limits.connectMs, signal, 'did not start', (until) =>
      spec.command === undefined
        ? connectUrl(spec, options, until, opened, heard)
        : connectCommand(spec, spec.command, options, until, opened),
    );
    return await within(limits.listMs, signal, 'did not finish its lists', (until) => use(connection, until));
  } catch (thrown) {
    signal.throwIfAborted();
    throw heard.refusal ?? ownErrorIn(thrown) ?? unreachable(spec, thrown, opened, heard.answer);
  } finally {
    await Promise.all(opened.map(({ client }) => client.close().catch(() => {})));
    await Promise.all(opened.map(({ transport }) => transport.close().catch(() => {})));
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
  await client.connect(transport, { timeout: limits.connectMs, signal: until });
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
      env: { ...getDefaultEnvironment(), ...inherited(), ...env },
      maxBytes: options.limits.maxBytes,
      cwd,
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
  const requestInit = { headers: { 'User-Agent': `dowser/${options.version}`, ...headers, ...spec.headers } };
  const fetch = async (input: string | URL, init?: RequestInit) => {
    const answer = await sameSiteFetch(input, init);
    return boundedBody(answer, options.limits.maxBytes);
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
  const postFetch = (input: string | URL, init?: RequestInit) =>
    init?.method === 'POST' ? heardFetch(input, init) : fetch(input, init);
  if (spec.transport !== 'sse') {
    try {
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit,
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
  const transport = new SSEClientTransport(url, { requestInit, fetch: heardFetch });
  return { client: await connect(transport, 'legacy', options, until, opened), transport: 'sse' };
}

class Late extends Error {}

/** Stops waiting after `ms` or when the caller aborts, even if the work ignores its signal. */
async function within<T>(
  ms: number,
  signal: AbortSignal,
  what: string,
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const until = AbortSignal.any([signal, late.signal]);
  const timer = setTimeout(() => late.abort(new Late(`${what} within ${ms / 1000} s`)), ms);
  const stopped = new Promise<never>((_, reject) => {
    until.addEventListener('abort', () => reject(until.reason), { once: true });
  });
  const working = work(until);
  // Ignore the later outcome of abandoned work.
  working.catch(() => {});
  try {
    return await Promise.race([working, stopped]);
  } finally {
    clearTimeout(timer);
  }
}

/** The refusal of our own `fetch`, inside the library's error. */
function ownErrorIn(thrown: unknown): DowserError | undefined {
  for (let error = thrown; error instanceof Error; error = error.cause) if (error instanceof DowserError) return error;
  return undefined;
}

function unreachable(
  spec: McpServerSpec,
  thrown: unknown,
  opened: readonly Opened[],
  answer: Response | undefined,
): DowserError {
  const child = opened.map(({ transport }) => transport).findLast((transport) => transport instanceof ChildTransport);
  const why = reasonOf(spec, thrown, child) ?? strangeAnswer(thrown, answer) ?? noAnswer(thrown);
  const said = child?.stderr.trim() ?? '';
  const heard = said === '' ? '' : ` It wrote: ${tellingLines(said)}`;
  // A server that requires authorization is alive.
  const code = isUnauthorized(thrown) ? 'FORBIDDEN' : 'SOURCE_UNREACHABLE';
  return new DowserError(code, `The server ${why}.${heard}`, {
    hint: isWebPage(answer) && !isUnauthorized(thrown) ? WHAT_CAN_BE_ADDED : hintFor(spec, thrown),
    cause: thrown,
  });
}

function reasonOf({ command }: McpServerSpec, thrown: unknown, child: ChildTransport | undefined): string | undefined {
  if (thrown instanceof Late) return thrown.message;
  if (child?.outcome != null) return child.outcome;
  const { code } = thrown as NodeJS.ErrnoException;
  if (command !== undefined && code === 'ENOENT') return `cannot be started: program '${command}' not found`;
  if (command !== undefined && code === 'EACCES') return `cannot be started: '${command}' is not executable`;
  if (isUnauthorized(thrown)) return 'requires authorization';
  if (thrown instanceof SdkHttpError) return `answers ${thrown.status}, not with MCP`;
  if (thrown instanceof ProtocolError) return `answers with an error: ${thrown.message.replace(/\.$/, '')}`;
  return undefined;
}

const noAnswer = (thrown: unknown): string => `does not answer (${networkReason(thrown).replace(/\.$/, '')})`;

const WHAT_CAN_BE_ADDED =
  'Use the address of an MCP server (often ending in /mcp), an A2A agent, a registry or a SKILL.md.';

const isWebPage = (answer: Response | undefined): boolean =>
  /^text\/html\b|^application\/xhtml/i.test(answer?.headers.get('content-type') ?? '');

/** Whether the server answers, but not with MCP. Undefined for a network failure, which has a code. */
function strangeAnswer(thrown: unknown, answer: Response | undefined): string | undefined {
  if (answer === undefined) return undefined;
  if (!answer.ok) return `answers ${answer.status}, not with MCP`;
  if (isWebPage(answer)) return 'answers with a web page, not with MCP';
  return /^[A-Z][A-Z0-9_]+$/.test(networkReason(thrown)) ? undefined : 'answers, but not with MCP';
}

function isUnauthorized(thrown: unknown): boolean {
  return thrown instanceof UnauthorizedError || (thrown instanceof SdkHttpError && [401, 403].includes(thrown.status));
}

function hintFor({ command }: McpServerSpec, thrown: unknown): string {
  if (isUnauthorized(thrown))
    return `Send its key with --header, such as --header 'Authorization: Bearer \${API_KEY}'.`;
  if (thrown instanceof Late) return 'Start it by hand to see what it waits for, or raise --timeout.';
  if (command !== undefined)
    return 'Start it by hand to see what it needs. Pass environment variables with --env NAME.';
  return `Check the address, and that the server supports MCP (such as ${LATEST_PROTOCOL_VERSION}).`;
}

/** The lines from the last error on, without the stack trace; or else the last few lines. */
function tellingLines(said: string): string {
  const lines = said.split('\n').filter((line) => !/^\s+at /.test(line));
  const named = lines.findLastIndex((line) => /\berror\b[^a-z]|Error:/i.test(line));
  const from = named < 0 ? Math.max(0, lines.length - 5) : named;
  return lines
    .slice(from, from + 5)
    .join(' ')
    .replace(/\s+/g, ' ')
    .slice(0, 600);
}
