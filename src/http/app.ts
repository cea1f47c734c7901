import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { type AuditTrail, auditContext, isRefusal, nameOf } from '../access/audit-trail.ts';
import type { Access } from '../access/open-access.ts';
import { isPublic, isShared, type Reach } from '../access/reach.ts';
import { contract, type Handlers } from '../api/contract.ts';
import { CHAT_PATH, UPLOAD_PATH } from '../api/document-streams.ts';
import { isNotFound } from '../api/if-found.ts';
import { fromConditions } from '../api/if-match.ts';
import { CHALLENGE_HEADER, PROOF_HEADER, proofOf } from '../api/local-proof.ts';
import type { Evaluation } from '../api/operations/evaluation-operations.ts';
import { OPERATION_RIGHTS, STANDARD_RIGHTS } from '../api/rights.ts';
import { OPERATION_NAMES, type OperationName, type Route } from '../api/routes.ts';
import { type RequestFacts, STANDARD_NAMES, standardsContract, UNSUPPORTED_ROUTES } from '../api/standards-contract.ts';
import { holdUntilSent } from '../api/when-body-ends.ts';
import type { ChatModel } from '../documents/ask/chat-model.ts';
import { createDocuments } from '../documents/create-documents.ts';
import { COLLECTION_PATH, TOOLSET_PATHS, type ToolsetName } from '../mcp/toolset-names.ts';
import { createMemories, type MemoryService } from '../memories/create-memories.ts';
import { type Caller, hasRight, type Right, UNRESTRICTED } from '../model/caller.ts';
import { DowserError, type ErrorCode, toDowserError, toErrorBody } from '../model/errors.ts';
import { isJsonObject } from '../model/json-object.ts';
import { showValue } from '../model/parse.ts';
import { MAX_QUERY_CHARS } from '../model/query.ts';
import type { LocalRegistry } from '../registry/registry.ts';
import { admit } from './admit.ts';
import { type AppContext, addressOf, hasCredentials, limitKey, outcomeOf, type Variables } from './app-context.ts';
import { addressKey } from './caller-limits.ts';
import { callerSurfaces, type Surface } from './caller-surfaces.ts';
import { corsHeaders } from './cors.ts';
import type { ToolDiscovery } from './discovery/tool-discovery.ts';
import { answerChat } from './documents/chat-route.ts';
import { sharedReader } from './documents/shared-reader.ts';
import { answerUpload } from './documents/upload-route.ts';
import { followRevision } from './follow-revision.ts';
import { homePage } from './home-page.ts';
import { logSearches } from './log-searches.ts';
import type { Logger } from './logger.ts';
import { checkRequestSource } from './loopback-guard.ts';
import { answerService, hasBody } from './memory-service/answer-service.ts';
import { followMemories } from './memory-service/follow-memories.ts';
import { SERVICE_ROUTES } from './memory-service/service-routes.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { type RequestInput, readInput } from './read-input.ts';
import type { Reply } from './reply.ts';
import { refuseRight, requestCallers } from './request-caller.ts';
import { challengeOf, METADATA_ROUTES, resourceMetadata } from './resource-metadata.ts';
import { sendReply } from './send-reply.ts';
import type { ServerLoad } from './server-load.ts';
import { isMisspelled, singleSlashes, standardHeaders, toStandardError } from './standards/dialect.ts';
import type { NameLedger } from './standards/name-ledger.ts';
import { createStandardHandlers } from './standards/standard-handlers.ts';
import type { Tracing } from './tracing.ts';
import { unknownParameters } from './unknown-parameters.ts';
import { serveWeb } from './web/serve-web.ts';
import type { WebFiles } from './web/web-files.ts';

export interface AppOptions extends Reach {
  /** Each request asks it as its caller: see `request-caller.ts`. */
  readonly registry: LocalRegistry;
  /** Whether requests need credentials, and what is recorded. Default: no credentials, no records. */
  readonly access?: Access | undefined;
  readonly version: string;
  readonly logger: Logger;
  /** What the server takes on at once. */
  readonly load: ServerLoad;
  /** Log the text of queries. */
  readonly logQueryText: boolean;
  /** Reads registered servers at their addresses. Default: nothing does. */
  readonly discovery?: ToolDiscovery | undefined;
  /** The secret of `server.json`. A caller with it may do everything. Default: none. */
  readonly secret?: string | undefined;
  /** Addresses of other ARD registries. Default: none. */
  readonly referrals?: readonly string[] | undefined;
  /** The server names that were listed before. Default: those of this process. */
  readonly ledger?: NameLedger | undefined;
  /** Tells clients to close their connections during shutdown. */
  readonly isClosing?: () => boolean;
  /** The memories of the registry, whose searches are logged. Default: with default settings. */
  readonly openMemories?: (registry: LocalRegistry) => MemoryService;
  /** The figures of the last `dowser eval`. Default: there are none. */
  readonly readEvaluation?: () => Promise<Evaluation>;
  /** The files of the web page. Default: a small page with links is at `/`. */
  readonly web?: WebFiles | null;
  /** Answers questions to documents in words. Default: none, and such questions get sources only. */
  readonly chat?: ChatModel | null;
  /** Default: nothing is traced. */
  readonly tracing?: Tracing | null;
  /** Aborts when the server begins to stop, for requests without an end. */
  readonly stopping?: AbortSignal;
}

const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
} as const;

/** Operations with a query in the body. It is logged only if the setting allows it. */
const SEARCHES: ReadonlySet<OperationName> = new Set([
  'search',
  'searchTools',
  'searchMemories',
  'searchDocuments',
  'searchCollection',
]);

/** Answered at once, also by a server that is busy. */
const UNQUEUED: ReadonlySet<OperationName> = new Set(['health', 'ping', 'ready', 'metrics']);

/** Answered until the end: whether the process lives, and how it does. */
const ALWAYS_ANSWERED: ReadonlySet<string> = new Set(['health', 'ping', 'metrics'] satisfies OperationName[]);

/** Long enough for the requests at work to end. */
const RETRY_AFTER_SECONDS = 1;
const RETRYABLE: ReadonlySet<ErrorCode> = new Set([
  'OVERLOADED',
  'SERVER_STOPPING',
  'AUTH_UNAVAILABLE',
  'REPLICA_BEHIND',
  'RECORD_UNAVAILABLE',
  'VECTORS_UNAVAILABLE',
]);
/** States of the server that `/api/health` reports. Every request meets them, so a stack for each would say nothing new. */
const REPORTED: ReadonlySet<ErrorCode> = new Set(['REPLICA_BEHIND', 'RECORD_UNAVAILABLE', 'VECTORS_UNAVAILABLE']);
const CLOSING: ReadonlySet<ErrorCode> = new Set(['OVERLOADED', 'SERVER_STOPPING', 'BODY_TOO_SLOW']);

/** A caller's own request id is kept if it is safe in a header and a log line. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

const serverStopping = (): DowserError =>
  new DowserError('SERVER_STOPPING', 'The server is about to stop.', {
    hint: 'Ask another server, or send the request again after the time in the Retry-After header.',
  });

/** `{name}` -> `:name`, `{name*}/end` -> `:name{.+/end}`; a literal colon is escaped. See `paramsOf` for parameters of the end. */
export function toRouterPath(path: string): string {
  const [, before = path, rest, end = ''] = /^(.*)\/\{(\w+)\*\}(.*)$/.exec(path) ?? [];
  const fixed = before
    .split('/')
    .map((segment) => {
      const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
      if (name !== undefined) return `:${name}`;
      return segment.includes(':') ? `:_{${segment}}` : segment;
    })
    .join('/');
  return rest === undefined ? fixed : `${fixed}/:${rest}{.+${end.replaceAll(/\{\w+\}/g, '[^/]+')}}`;
}

/** The HTTP server without a port: every operation of the contract has its route. */
export function createApp(options: AppOptions): Hono<{ Variables: Variables }> {
  const { logger, load, secret, access, tracing = null } = options;
  const { registry, during } = logSearches(options.registry, logger);
  const memories = options.openMemories?.(registry) ?? createMemories(registry);
  const documents = createDocuments(registry);
  const metrics = new ServerMetrics(options);
  if (tracing !== null) options.registry.watchSearches((timed) => tracing.searched(timed));
  const surfaceOf = callerSurfaces({
    ...options,
    metrics,
    registry,
    memories,
    documents,
    replica: options.registry.replica,
    vectorServer: options.registry.vectorServer,
    bodyLimitBytes: load.bodies.maxBytes,
    refuse: refuseRight,
  });
  const callerOf = requestCallers(options);
  const baseOf = (c: AppContext) => options.publicUrl ?? new URL(c.req.url).origin;
  const standardHandlers = createStandardHandlers({ ...options, registry });
  // Not strict: a slash at the end of a URL has no meaning.
  const app = new Hono<{ Variables: Variables }>({ strict: false });
  const openTo = (path: string) => (isPublic(options) ? standardHeaders(path) : {});

  app.use(async (c, next) => {
    const started = performance.now();
    const sent = c.req.header('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(sent) ? sent : randomUUID();
    c.set('requestId', requestId);
    c.set('facts', {});
    const work = () => during(requestId, () => audited(c, access?.trail ?? null, next));
    if (tracing === null) await work();
    else await tracing.request(c.req.raw.headers, () => work().then(() => outcomeOf(c)));
    const ms = Math.round((performance.now() - started) * 100) / 100;
    const added = { ...SECURITY_HEADERS, ...corsHeaders(c.req.raw, options), ...openTo(c.req.path) };
    for (const [name, value] of Object.entries(added)) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    c.res.headers.set('X-Request-Id', requestId);
    c.res.headers.set('Server-Timing', `total;dur=${ms}`);
    if (options.isClosing?.() === true) c.res.headers.set('Connection', 'close');
    const { code, ...answered } = outcomeOf(c);
    metrics.answered({ ...answered, ms });
    if (access?.required === true && c.get('right') !== 'none') {
      metrics.checked({ code, hasCredentials: hasCredentials(c), isAccepted: c.get('surface') !== undefined });
    }
    const line = { request_id: requestId, method: c.req.method, path: c.req.path, status: c.res.status, ms };
    logger.info({ ...line, ...c.get('facts') }, 'request');
  });

  app.use(followRevision(options.registry.replica));
  app.use(async (c, next) => {
    checkRequestSource(c.req.method, c.req.raw.headers, options);
    await next();
    const challenge = c.req.header(CHALLENGE_HEADER);
    const proof = challenge === undefined || secret === undefined ? null : proofOf(secret, challenge);
    if (proof !== null) c.res.headers.set(PROOF_HEADER, proof);
  });
  const admitted = admit(load);
  /** Wrong credentials count against the address they come from. Good ones do not: all callers of a proxy share its address. */
  const known = async (c: AppContext, right: Right): Promise<Caller> => {
    try {
      return await callerOf(c.req.raw, right);
    } catch (thrown) {
      if (toDowserError(thrown).code === 'UNAUTHENTICATED') load.callers.take(addressKey(addressOf(c)));
      throw thrown;
    }
  };
  /** Answers as the caller of the request, if it has the right. Nothing of its body is read before that. */
  const asCaller = (
    action: string,
    right: Right,
    accepts: Parameters<typeof admitted>[0],
    answer: (c: AppContext, surface: Surface, body?: Uint8Array) => Promise<Response>,
  ) => {
    const inTurn = admitted(accepts, (c: AppContext, body) => answer(c, c.get('surface')!, body));
    return async (c: AppContext) => {
      const context = access?.trail?.current;
      if (context !== undefined) context.action = action;
      c.set('right', right);
      if (options.isClosing?.() === true && !ALWAYS_ANSWERED.has(action)) throw serverStopping();
      const caller = await known(c, right);
      if (context !== undefined) context.who = nameOf(caller);
      const work = async () => {
        if (!hasRight(caller, right)) refuseRight(caller, right);
        const mayChange = right !== 'read' && right !== 'none';
        c.set('surface', surfaceOf(caller, mayChange ? fromConditions(c.req.header()) : {}));
        return inTurn(c);
      };
      const isFree = caller === UNRESTRICTED || accepts === 'unqueued';
      if (isFree) return work();
      const key = limitKey(caller, c);
      c.set('takeMore', (requests) => load.callers.take(key, requests));
      return holdUntilSent(c.req.raw, work, load.callers.enter(key));
    };
  };

  const methodsByPath = new Map<string, string[]>();
  const route = ({ method, path }: Route, answer: (c: AppContext) => Response | Promise<Response>) => {
    const routerPath = toRouterPath(path);
    methodsByPath.set(routerPath, [...(methodsByPath.get(routerPath) ?? []), method]);
    app.on(method, routerPath, (c: AppContext) => {
      c.set('route', path);
      return answer(c);
    });
  };
  for (const name of OPERATION_NAMES) {
    const withWarnings = unknownParameters(contract[name]);
    const answer = async (c: AppContext, { handlers }: Surface, body?: Uint8Array) => {
      const input = await readInput(c, contract[name], body);
      if (options.logQueryText && SEARCHES.has(name)) c.set('facts', { query: queryOf(input.body) });
      return sendReply(c, withWarnings(Object.keys(c.req.query()), await handled(name, input, handlers)));
    };
    const accepts = UNQUEUED.has(name) ? 'unqueued' : contract[name];
    route(contract[name], asCaller(name, OPERATION_RIGHTS[name], accepts, answer));
  }
  for (const name of STANDARD_NAMES) {
    const handle = standardHandlers[name] as (input: RequestInput, request: RequestFacts) => Promise<Reply>;
    const answer = async (c: AppContext, _: Surface, body?: Uint8Array) => {
      const input = await readInput(c, standardsContract[name], body);
      const facts: RequestFacts = {
        origin: new URL(c.req.url).origin,
        a2aVersion: c.req.header('a2a-version') ?? c.req.query('A2A-Version'),
      };
      return sendReply(c, await handle(input, facts));
    };
    route(standardsContract[name], asCaller(name, STANDARD_RIGHTS[name], standardsContract[name], answer));
  }
  for (const unsupported of UNSUPPORTED_ROUTES) {
    route(unsupported, () => {
      throw new DowserError('NOT_IMPLEMENTED', `${unsupported.method} ${unsupported.path} is not supported.`, {
        hint: 'This API is read-only. Publish with PUT /api/entities/mcp_server/{path}.',
      });
    });
  }
  for (const one of SERVICE_ROUTES) {
    const answer = (c: AppContext, own: Surface, body?: Uint8Array) => {
      const follow = () =>
        followMemories(c.req.raw, own, {
          isSoleOwner: !isShared(options),
          who: limitKey(own.caller, c),
          identify: () => callerOf(c.req.raw, one.right),
          stopping: options.stopping,
        });
      const tagOf = async (hash: string) =>
        (await own.handlers.getMemory({ body: { content_hash: hash } })).headers ?? {};
      return answerService(c, one, { memories: own.memories, tagOf, follow }, body);
    };
    route(one, asCaller(`${one.method} ${one.path}`, one.right, hasBody(one) ? 'any' : 'none', answer));
  }
  for (const [toolset, path] of Object.entries(TOOLSET_PATHS) as [ToolsetName, `/${string}`][]) {
    const answer = (c: AppContext, { mcp }: Surface, body?: Uint8Array) =>
      mcp[toolset].answer(c.req.raw, body, c.get('takeMore'));
    route({ method: 'POST', path }, asCaller(path, 'read', 'any', answer));
  }
  const reader = sharedReader();
  const upload = (c: AppContext, own: Surface, body: Uint8Array = new Uint8Array()) =>
    answerUpload(c, { documents: own.documents, reader, now: () => new Date() }, body);
  route({ method: 'POST', path: UPLOAD_PATH }, asCaller('uploadFiles', 'write', 'any', upload));
  const chat = (c: AppContext, own: Surface, body: Uint8Array = new Uint8Array()) =>
    answerChat(c, { documents: own.documents, chat: options.chat ?? null }, body);
  route({ method: 'POST', path: CHAT_PATH }, asCaller('askCollection', 'read', 'any', chat));
  const ofCollection = (c: AppContext, own: Surface, body?: Uint8Array) =>
    own.collectionMcp.answer(c.req.param('collection') ?? '', c.req.raw, body, c.get('takeMore'));
  route({ method: 'POST', path: COLLECTION_PATH }, asCaller(COLLECTION_PATH, 'read', 'any', ofCollection));
  if (access?.required === true && access.issuer !== null) {
    const { issuer } = access;
    for (const { resource, ...metadata } of METADATA_ROUTES) {
      route(metadata, (c) => c.json(resourceMetadata(baseOf(c), resource, issuer)));
    }
  }
  const { web = null } = options;
  if (web === null) {
    route({ method: 'GET', path: '/' }, (c) => c.html(homePage(new URL(c.req.url).origin, options.version)));
  } else {
    const page = serveWeb(web);
    for (const path of ['/', '/ui/{page*}'] as const) route({ method: 'GET', path }, page);
  }

  for (const [path, methods] of methodsByPath) {
    const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
    app.all(path, (c) => {
      c.header('Allow', `${allow}, OPTIONS`);
      if (c.req.method === 'OPTIONS') return c.body(null, 204);
      throw new DowserError('METHOD_NOT_ALLOWED', `${showValue(c.req.path)} does not support ${c.req.method}.`, {
        hint: `Use ${allow}.`,
      });
    });
  }

  app.notFound((c) => {
    const { pathname, search } = new URL(c.req.url);
    if (c.req.method === 'GET' && isMisspelled(pathname)) return c.redirect(`${singleSlashes(pathname)}${search}`, 308);
    const error = new DowserError('NOT_FOUND', `Unknown route: ${c.req.method} ${showValue(c.req.path)}.`, {
      hint: 'See GET /openapi.json for all routes.',
      details: { docs: '/openapi.json' },
    });
    return failed(c as AppContext, error, logger);
  });
  app.onError((thrown, c) => {
    const error = toDowserError(thrown);
    const { path } = c.req;
    const challenge = challengeOf(error, {
      base: baseOf(c as AppContext),
      path,
      issuer: access?.issuer ?? null,
      right: c.get('right'),
      wasTried: hasCredentials(c),
    });
    if (challenge !== undefined) c.header('WWW-Authenticate', challenge);
    return failed(c as AppContext, thrown, logger);
  });
  return app;
}

/** Records what a request writes, how it ends, and that it was refused. */
async function audited(c: AppContext, trail: AuditTrail | null, next: () => Promise<void>): Promise<void> {
  if (trail === null) return next();
  const context = auditContext({
    request: c.get('requestId'),
    from: addressOf(c),
    action: `${c.req.method} ${c.req.path}`,
  });
  await trail.run(context, next);
  const code = c.get('facts').code as ErrorCode | undefined;
  if (code === undefined) return trail.finish(context);
  if (isRefusal(code)) trail.refused(context, code);
  trail.finish(context, code);
}

/** The body is not parsed yet. */
function queryOf(body: unknown): string {
  const { query } = isJsonObject(body) ? body : {};
  return typeof query === 'string' ? query.slice(0, MAX_QUERY_CHARS) : '';
}

/** `/api/servers/{path*}/tools` -> the operation of `/api/servers/{path*}` with the same method, and `/tools`. */
function wholePathOf(name: OperationName): { readonly whole: OperationName; readonly tail: string } | undefined {
  const { method, path } = contract[name];
  const [, template, tail] = /^(.*\{path\*\})(\/.+)$/.exec(path) ?? [];
  const whole = OPERATION_NAMES.find((other) => contract[other].method === method && contract[other].path === template);
  return whole === undefined || tail === undefined ? undefined : { whole, tail };
}

/** A path may itself end like a route. If the shorter path has no entity, try the whole path. */
async function handled(name: OperationName, input: RequestInput, handlers: Handlers): Promise<Reply> {
  const run = (operation: OperationName, given: unknown) =>
    (handlers[operation] as (input: unknown) => Promise<Reply>)(given);
  try {
    return await run(name, input);
  } catch (thrown) {
    const other = wholePathOf(name);
    if (other === undefined || !isNotFound(thrown)) throw thrown;
    const params = input.params as Readonly<Record<string, string>>;
    const tail = other.tail.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
    try {
      return await run(other.whole, {
        query: {},
        ...input,
        params: { ...params, path: `${params.path}${tail}` },
      });
    } catch (again) {
      throw isNotFound(again) ? thrown : again;
    }
  }
}

/** Messages may quote the request, so log only the code and the field of a refused request. */
function failed(c: AppContext, thrown: unknown, logger: Logger): Response {
  const error = toDowserError(thrown);
  c.set('facts', { ...c.get('facts'), code: error.code, ...(error.field === undefined ? {} : { field: error.field }) });
  // A refused request is in the log already. A stack for each would make a busy server busier.
  if (REPORTED.has(error.code)) {
    logger.warn({ request_id: c.get('requestId'), code: error.code, reason: error.message }, 'request refused');
  } else if (error.httpStatus >= 500 && !CLOSING.has(error.code)) {
    logger.error({ request_id: c.get('requestId'), err: thrown }, 'request failed');
  }
  const retryAfter = error.details?.retry_after ?? (RETRYABLE.has(error.code) ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter));
  // The rest of the body is not read.
  if (CLOSING.has(error.code)) c.header('Connection', 'close');
  const standard = toStandardError(c.req.path, error);
  if (standard !== undefined) return sendReply(c, standard);
  const body = toErrorBody(error, {
    hint: 'See GET /openapi.json for the fields of each request.',
    docs: '/openapi.json',
  });
  return c.json({ ...body, detail: error.message }, error.httpStatus as 500);
}
