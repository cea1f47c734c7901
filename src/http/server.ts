import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { reachOf } from '../access/auth-mode.ts';
import type { Access } from '../access/open-access.ts';
import { isPublic } from '../access/reach.ts';
import type { LoadedSettings, Settings } from '../config.ts';
import { createMemories, type MemoryService } from '../memories/create-memories.ts';
import { DowserError, toDowserError } from '../model/errors/errors.ts';
import { showValue } from '../model/parse/parse.ts';
import { memorySettings } from '../open.ts';
import { openChat } from '../open-documents.ts';
import { openKeys } from '../open-keys.ts';
import type { LocalRegistry } from '../registry/contract/registry.ts';
import { createApp } from './app.ts';
import type { AppOptions } from './context/app-options.ts';
import { profilesOf } from './context/named-mcp.ts';
import { startDailyTask } from './daily-task.ts';
import { readMoved, ToolDiscovery } from './discovery/tool-discovery.ts';
import { openServerAccess } from './edge/server-access.ts';
import { readEvaluation, readEvaluationRuns } from './evaluation-file.ts';
import { serverLoad } from './load/server-load.ts';
import type { Logger } from './log/logger.ts';
import { openTracing } from './log/tracing.ts';
import { Activity } from './metrics/activity.ts';
import { NameLedger } from './standards/name-ledger.ts';
import { readWebFiles } from './web/web-files.ts';

/** Of several nodes, one reads the registered servers again. */
const REFRESH_DUTY = 'refresh';
const IDLE_SWEEP_MS = 100;
/** Longer than the idle timeout of common proxies (1 minute), so that the proxy closes the connection. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 15_000;
const CONNECTION_SWEEP_MS = 5000;
/** Far more than can be served, so that those who are refused are told. */
const MAX_CONNECTIONS = 4096;

export interface RunningServer {
  /** The address from this machine. */
  readonly url: string;
  readonly port: number;
  /** Goes on answering for `drain_ms`, and says that it is not ready: load balancers then send no more. `close` ends it. */
  drain(): Promise<void>;
  /** Stops accepting requests, waits for running ones, then closes the registry. A second call waits for the first. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly registry: LocalRegistry;
  readonly version: string;
  readonly logger: Logger;
  readonly settings: Settings;
  /** Where each setting came from. Default: not known. */
  readonly origins?: LoadedSettings['origins'] | undefined;
  /** See `AppOptions`. */
  readonly secret?: string | undefined;
  /** Default: that of the settings. The server closes it. */
  readonly access?: Access | undefined;
  /** See `AppOptions`. */
  readonly loadExamples?: AppOptions['loadExamples'];
  /** Keeps the names of listed servers between runs. Default: nothing does. */
  readonly namesFile?: string | undefined;
}

/** Who sets a limit must not believe that it holds. */
function warnUnusedLimits({ settings, logger }: Pick<ServerOptions, 'settings' | 'logger'>): void {
  const unused = (['rate_limit', 'max_requests_per_caller'] as const).filter((name) => (settings[name] ?? 0) > 0);
  if (unused.length === 0) return;
  const why = 'without credentials, all callers on this machine are one person';
  logger.warn(
    { settings: unused, hint: 'Turn on `auth` to limit each caller.' },
    `not used: ${unused.join(', ')}: ${why}`,
  );
}

/** Serves the registry over HTTP. Closing the server closes the registry. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { registry, version, logger, settings, secret, namesFile } = options;
  let closing: Promise<void> | undefined;
  let isDraining = false;
  const stopping = new AbortController();
  const discovery = new ToolDiscovery({
    registry,
    version,
    logger,
    limits: {
      connectMs: settings.source_connect_ms,
      startMs: settings.source_start_ms,
      listMs: settings.source_list_ms,
      maxBytes: settings.source_max_bytes,
      maxItems: settings.source_max_items,
      totalMs: settings.source_total_ms,
    },
    onRegister: settings.tool_discovery,
    allowPrivate: settings.discovery_private_addresses,
    refreshSeconds: settings.refresh_interval,
    refreshesHere: () => registry.replica?.leads(REFRESH_DUTY) ?? true,
  });
  registry.watchWrites(readMoved(discovery));
  let memories: MemoryService | undefined;
  const access = options.access ?? (await openServerAccess(settings, registry.replica));
  const chat = await openChat(settings);
  const isLimited = access?.required === true || isPublic(reachOf(settings));
  if (!isLimited) warnUnusedLimits(options);
  const load = serverLoad(settings, isLimited);
  const activity = new Activity({
    keepsTexts: settings.log_query_text,
    now: Date.now,
    async state() {
      const { requests, event_loop_delay_ms: delay } = load.report();
      const { embedder } = await registry.health();
      const memory_bytes = process.memoryUsage.rss();
      return { running: requests.running, loop_delay_ms: delay.p99, memory_bytes, embedder: embedder.state };
    },
  });
  registry.watchSearches((timed) => activity.searched(timed));
  const app = createApp({
    registry,
    version,
    logger,
    discovery,
    load,
    ...reachOf(settings),
    access,
    secret,
    referrals: settings.ard_referrals,
    trustedProxies: settings.trusted_proxies,
    ledger: new NameLedger({
      file: namesFile,
      onError: (error) => logger.warn({ err: error }, 'the names of listed servers were not stored'),
    }),
    logQueryText: settings.log_query_text,
    activity,
    loaded: { settings, origins: options.origins },
    openKeys: access?.required === true ? () => openKeys(settings) : undefined,
    web: settings.web ? readWebFiles() : null,
    chat,
    loadExamples: options.loadExamples,
    evaluations: {
      last: () => readEvaluation(settings.data_dir),
      runs: () => readEvaluationRuns(settings.data_dir),
    },
    findProfile: profilesOf(settings.data_dir),
    openMemories(logged) {
      memories = createMemories(logged, { settings: memorySettings(settings) });
      return memories;
    },
    isClosing: () => closing !== undefined,
    isDraining: () => isDraining,
    stopping: stopping.signal,
    tracing: await openTracing(process.env, version),
  });
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      // The body has its own limit, which answers; this one only ends what is left.
      requestTimeout: HEADERS_MS + settings.body_timeout_ms,
      connectionsCheckingInterval: CONNECTION_SWEEP_MS,
    },
    withOwnTarget(getRequestListener(app.fetch)),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const unused = unusedConnections(server);
  await listen(server, settings.host, settings.port);
  load.delay.start();
  activity.start();
  const stopPurging = startDailyTask(
    async () => memories?.purgeForgotten(),
    (error) => {
      const { code, message: reason } = toDowserError(error);
      logger.warn({ code, reason }, 'forgotten memories were not deleted yet');
    },
  );
  const { port, address } = server.address() as AddressInfo;
  return {
    url: urlOf(settings.host, address, port),
    port,
    async drain() {
      isDraining = true;
      await wait(settings.drain_ms, undefined, { signal: stopping.signal }).catch(() => {});
    },
    close() {
      load.delay.close();
      activity.close();
      closing ??= stop(server, unused, settings.shutdown_wait_ms)
        .then(() => discovery.close())
        .then(stopPurging)
        .then(() => memories?.flush())
        .finally(() => registry.close())
        .finally(() => access?.close());
      stopping.abort();
      return closing;
    },
  };
}

/**
 * A client may send a whole address as the target: `GET http://host/path`. Then its host counts and not the header (RFC 9112,
 * section 3.2.2), so that the checks of the host see it. Any other target that is not a path gets 400.
 */
function withOwnTarget(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (readTarget(request)) return listener(request, response);
    const error = {
      code: 'INVALID_REQUEST',
      message: `The request target is ${showValue(request.url)}: must be a path, or an address with http and a host.`,
    };
    response.writeHead(400, { 'Content-Type': 'application/json', Connection: 'close' });
    response.end(JSON.stringify({ error, detail: error.message }));
  };
}

function readTarget(request: IncomingMessage): boolean {
  const { url = '/', method, rawHeaders } = request;
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return true;
  if (!/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(url) || !URL.canParse(url)) return false;
  const { host, pathname, search } = new URL(url);
  request.url = pathname + search;
  request.headers.host = host;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.toLowerCase() === 'host') rawHeaders[at + 1] = host;
  return true;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(listenError(cause, host, port)));
    // As many as come at once: those beyond a shorter queue connect again after a second, and later each time.
    server.listen({ host, port, backlog: MAX_CONNECTIONS }, resolve);
  });
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): DowserError {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (cause.code === 'EADDRINUSE') {
    return new DowserError('PORT_IN_USE', `The address ${address} is in use by another program.`, {
      hint: 'Stop that program, or choose another port with --port (0 takes any free port).',
      cause,
    });
  }
  const field = cause.code === 'EACCES' ? 'port' : 'host';
  return new DowserError('INVALID_SETTING', `Cannot listen on ${address} (${cause.code}).`, {
    field,
    hint: field === 'port' ? 'Choose a port above 1023 with --port.' : 'Choose an address of this machine with --host.',
    cause,
  });
}

/** A wildcard address is reached at loopback. */
function urlOf(host: string, address: string, port: number): string {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}

/** Connections that clients opened ahead of a request. Node does not count them as idle. */
function unusedConnections(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
  return unused;
}

async function stop(server: Server, unused: ReadonlySet<Socket>, waitMs: number): Promise<void> {
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
  const timer = setTimeout(() => server.closeAllConnections(), waitMs);
  // A connection that becomes idle during shutdown would wait for its client to close it.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
  }, IDLE_SWEEP_MS);
  await stopped;
  clearInterval(sweep);
  clearTimeout(timer);
}
