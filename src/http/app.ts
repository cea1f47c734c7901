import { randomUUID } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { contract, type Handlers } from '../api/contract.ts';
import { isNotFound } from '../api/if-found.ts';
import { CHALLENGE_HEADER, isSameText, KEY_HEADER, keyOf, PROOF_HEADER, proofOf } from '../api/local-proof.ts';
import { isWrite, OPERATION_NAMES, type OperationName, type Route } from '../api/routes.ts';
import { type RequestFacts, STANDARD_NAMES, standardsContract, UNSUPPORTED_ROUTES } from '../api/standards-contract.ts';
import type { ChatModel } from '../documents/ask/chat-model.ts';
import { createDocuments } from '../documents/create-documents.ts';
import { COLLECTION_PATH, TOOLSET_PATHS, type ToolsetName } from '../mcp/toolset-names.ts';
import { createMemories } from '../memories/create-memories.ts';
import type { Memories } from '../memories/memories.ts';
import { DowserError, type ErrorCode, toDowserError, toErrorBody } from '../model/errors.ts';
import { isJsonObject } from '../model/json-object.ts';
import { showValue } from '../model/parse.ts';
import { MAX_QUERY_CHARS } from '../model/query.ts';
import type { LocalRegistry } from '../registry/registry.ts';
import { admit } from './admit.ts';
import { collectionMcp } from './collection-mcp.ts';
import type { ToolDiscovery } from './discovery/tool-discovery.ts';
import { answerChat, CHAT_PATH } from './documents/chat-route.ts';
import { sharedReader } from './documents/shared-reader.ts';
import { answerUpload, UPLOAD_PATH } from './documents/upload-route.ts';
import { createHandlers } from './handlers.ts';
import { homePage } from './home-page.ts';
import { logSearches } from './log-searches.ts';
import type { Logger } from './logger.ts';
import { checkRequestSource, isPublic, mayWrite, type Reach, refuseWrite } from './loopback-guard.ts';
import { mcpRoute } from './mcp-route.ts';
import { answerService, hasBody } from './memory-service/answer-service.ts';
import { SERVICE_ROUTES } from './memory-service/service-routes.ts';
import { type RequestInput, readInput } from './read-input.ts';
import { readOnlyMemories } from './read-only-memories.ts';
import type { Reply } from './reply.ts';
import type { ServerLoad } from './server-load.ts';
import { standardHeaders, toStandardError } from './standards/dialect.ts';
import { createStandardHandlers } from './standards/standard-handlers.ts';

export interface AppOptions extends Reach {
  /** Requests are unrestricted, except those of `standards/`. A caller per request belongs here. */
  readonly registry: LocalRegistry;
  readonly version: string;
  readonly logger: Logger;
  /** What the server takes on at once. */
  readonly load: ServerLoad;
  /** Log the text of queries. */
  readonly logQueryText: boolean;
  /** Reads registered servers at their addresses. Default: nothing does. */
  readonly discovery?: ToolDiscovery | undefined;
  /** The secret of `server.json`. A caller with it may write, also where others may only read. Default: none. */
  readonly secret?: string | undefined;
  /** Tells clients to close their connections during shutdown. */
  readonly isClosing?: () => boolean;
  /** The memories of the registry, whose searches are logged. Default: with default settings. */
  readonly openMemories?: (registry: LocalRegistry) => Memories;
  /** Answers questions to documents in words. Default: none, and such questions get sources only. */
  readonly chat?: ChatModel | null;
  /** Aborts when the server begins to stop, for requests without an end. */
  readonly stopping?: AbortSignal;
}

interface Variables {
  requestId: string;
  /** Extra fields of this request's log line. */
  facts: Record<string, unknown>;
}
type AppContext = Context<{ Variables: Variables }>;

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

/** Long enough for the requests at work to end. */
const RETRY_AFTER_SECONDS = '1';
const CLOSING: ReadonlySet<ErrorCode> = new Set(['OVERLOADED', 'BODY_TOO_SLOW']);

/** A caller's own request id is kept if it is safe in a header and a log line. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

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
  const { logger, load, secret } = options;
  const key = secret === undefined ? null : keyOf(secret);
  const { registry, during } = logSearches(options.registry, logger);
  const memories = options.openMemories?.(registry) ?? createMemories(registry);
  const documents = createDocuments(registry);
  const handlers = createHandlers({ ...options, registry, memories, documents });
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
    await during(requestId, next);
    const ms = Math.round((performance.now() - started) * 100) / 100;
    for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...openTo(c.req.path) })) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
    c.res.headers.set('X-Request-Id', requestId);
    c.res.headers.set('Server-Timing', `total;dur=${ms}`);
    if (options.isClosing?.() === true) c.res.headers.set('Connection', 'close');
    const line = { request_id: requestId, method: c.req.method, path: c.req.path, status: c.res.status, ms };
    logger.info({ ...line, ...c.get('facts') }, 'request');
  });

  app.use(async (c, next) => {
    checkRequestSource(c.req.method, c.req.raw.headers, options);
    await next();
    const challenge = c.req.header(CHALLENGE_HEADER);
    const proof = challenge === undefined || secret === undefined ? null : proofOf(secret, challenge);
    if (proof !== null) c.res.headers.set(PROOF_HEADER, proof);
  });
  const canWrite = (c: AppContext) =>
    (key !== null && isSameText(c.req.header(KEY_HEADER) ?? '', key)) || mayWrite(c.req.raw.headers, options);
  const readOnly = readOnlyMemories(memories, refuseWrite);

  const methodsByPath = new Map<string, string[]>();
  const route = ({ method, path }: Route, answer: (c: AppContext) => Response | Promise<Response>) => {
    const routerPath = toRouterPath(path);
    methodsByPath.set(routerPath, [...(methodsByPath.get(routerPath) ?? []), method]);
    app.on(method, routerPath, answer);
  };
  const admitted = admit(load);
  for (const name of OPERATION_NAMES) {
    const answer = async (c: AppContext, body?: Uint8Array) => {
      const input = await readInput(c, contract[name], body);
      if (options.logQueryText && SEARCHES.has(name)) c.set('facts', { query: queryOf(input.body) });
      return send(c, await handled(name, input, handlers));
    };
    const answerInTurn = name === 'health' ? answer : admitted(contract[name], answer);
    route(contract[name], (c) => {
      if (isWrite(name) && !canWrite(c)) refuseWrite();
      return answerInTurn(c);
    });
  }
  for (const name of STANDARD_NAMES) {
    const handle = standardHandlers[name] as (input: RequestInput, request: RequestFacts) => Promise<Reply>;
    const answer = async (c: AppContext, body?: Uint8Array) => {
      const input = await readInput(c, standardsContract[name], body);
      const facts = { origin: new URL(c.req.url).origin, ifNoneMatch: c.req.header('if-none-match') };
      return send(c, await handle(input, facts));
    };
    route(standardsContract[name], admitted(standardsContract[name], answer));
  }
  for (const unsupported of UNSUPPORTED_ROUTES) {
    route(unsupported, () => {
      throw new DowserError('NOT_IMPLEMENTED', `${unsupported.method} ${unsupported.path} is not supported.`, {
        hint: 'This API is read-only. Publish with PUT /api/entities/mcp_server/{path}.',
      });
    });
  }
  for (const one of SERVICE_ROUTES) {
    const answer = admitted(hasBody(one) ? 'any' : 'none', (c: AppContext, body) =>
      answerService(c, one, canWrite(c) ? memories : readOnly, body),
    );
    route(one, answer);
  }
  for (const [toolset, path] of Object.entries(TOOLSET_PATHS) as [ToolsetName, `/${string}`][]) {
    const shared = { ...options, registry, documents, toolset, bodyLimitBytes: load.bodies.maxBytes };
    const mcp = mcpRoute({ ...shared, memories });
    const reported = async () => refuseWrite();
    const reading = mcpRoute({ ...shared, registry: { ...registry, reportOutcome: reported }, memories: readOnly });
    route(
      { method: 'POST', path },
      admitted('any', (c: AppContext, body) => (canWrite(c) ? mcp : reading)(c.req.raw, body)),
    );
  }
  const reader = sharedReader();
  route({ method: 'POST', path: UPLOAD_PATH }, (c) => {
    if (!canWrite(c)) refuseWrite();
    return admitted('any', (one: AppContext, body = new Uint8Array()) =>
      answerUpload(one, { documents, reader, now: () => new Date() }, body),
    )(c);
  });
  route(
    { method: 'POST', path: CHAT_PATH },
    admitted('any', (c: AppContext, body = new Uint8Array()) =>
      answerChat(c, { documents, chat: options.chat ?? null }, body),
    ),
  );
  const ofCollection = collectionMcp({ ...options, registry, memories: readOnly, documents, load });
  route(
    { method: 'POST', path: COLLECTION_PATH },
    admitted('any', (c: AppContext, body) => ofCollection(c.req.param('collection') ?? '', c.req.raw, body)),
  );
  route({ method: 'GET', path: '/' }, (c) => c.html(homePage(new URL(c.req.url).origin, options.version)));

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
    const error = new DowserError('NOT_FOUND', `Unknown route: ${c.req.method} ${showValue(c.req.path)}.`, {
      hint: 'See GET /openapi.json for all routes.',
      details: { docs: '/openapi.json' },
    });
    return failed(c as AppContext, error, logger);
  });
  app.onError((thrown, c) => failed(c as AppContext, thrown, logger));
  return app;
}

function send(c: AppContext, { status, body, headers = {} }: Reply): Response {
  for (const [header, value] of Object.entries(headers)) c.header(header, value);
  if (body === undefined) return c.body(null, status as 204);
  if (typeof body === 'string') return c.body(body, status as 200);
  return c.json(body as Record<string, unknown>, status as 200);
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
  if (error.httpStatus >= 500 && error.code !== 'OVERLOADED')
    logger.error({ request_id: c.get('requestId'), err: thrown }, 'request failed');
  if (error.code === 'OVERLOADED') c.header('Retry-After', RETRY_AFTER_SECONDS);
  // The rest of the body is not read.
  if (CLOSING.has(error.code)) c.header('Connection', 'close');
  const standard = toStandardError(c.req.path, error);
  if (standard !== undefined) return send(c, standard);
  const body = toErrorBody(error, {
    hint: 'See GET /openapi.json for the fields of each request.',
    docs: '/openapi.json',
  });
  return c.json({ ...body, detail: error.message }, error.httpStatus as 500);
}
