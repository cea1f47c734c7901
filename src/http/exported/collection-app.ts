import { type Context, Hono } from 'hono';
import type { Reach } from '../../access/reach.ts';
import { collectionSearchSchema } from '../../api/operations/document-operations.ts';
import type { ChatModel } from '../../documents/ask/chat-model.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { chunkInCollection, searchCollection } from '../../documents/search/search-collection.ts';
import type { Memories } from '../../memories/memories.ts';
import { UNRESTRICTED } from '../../model/caller/caller.ts';
import { DowserError, toDowserError, toErrorBody } from '../../model/errors/errors.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import type { Registry, ScopedRegistry } from '../../registry/contract/registry.ts';
import { readJsonBody } from '../body/read-body.ts';
import { sendReply } from '../body/send-reply.ts';
import { mcpRoute } from '../context/mcp-route.ts';
import { warnReaders } from '../context/warn-readers.ts';
import { answerChat } from '../documents/chat-route.ts';
import { corsHeaders } from '../edge/cors.ts';
import { checkRequestSource } from '../edge/loopback-guard.ts';
import { refuseRight } from '../edge/request-caller.ts';
import { admit } from '../load/admit.ts';
import { isClosing, isFailure } from '../load/refusal.ts';
import type { ServerLoad } from '../load/server-load.ts';
import type { Logger } from '../log/logger.ts';

export interface CollectionAppOptions extends Reach {
  /** Pages of every origin may use the routes of IndexFoundry, as on its own servers; not MCP. Default: none but `allowedOrigins`. */
  readonly anyOrigin?: boolean;
  readonly documents: Documents;
  readonly registry: Registry & Pick<ScopedRegistry, 'instructionWarnings'>;
  readonly memories: Memories;
  readonly collection: string;
  readonly chat: ChatModel | null;
  readonly version: string;
  readonly load: ServerLoad;
  readonly logger: Logger;
}

/** The routes that IndexFoundry's servers have. Theirs answer pages of every origin. */
const OPEN_PATH = /^\/(?:health|stats|sources|search|chat|chunks\/[^/]*)\/?$/;

/** One collection with the routes of IndexFoundry's servers at the root, and MCP. Nothing in it writes. */
export function createCollectionApp(options: CollectionAppOptions): Hono {
  const { documents, registry, memories, collection, chat, version, load, logger } = options;
  const started = performance.now();
  const app = new Hono({ strict: false });
  const admitted = admit(load);
  app.use(async (c, next) => {
    const origin = c.req.header('origin');
    const isOpen = options.anyOrigin === true && OPEN_PATH.test(c.req.path);
    const reach = isOpen && origin !== undefined ? { ...options, allowedOrigins: [origin] } : options;
    checkRequestSource(c.req.method, c.req.raw.headers, reach);
    await next();
    const shared = corsHeaders(c.req.raw, reach);
    for (const [name, value] of Object.entries(shared)) c.res.headers.set(name, value);
    if (isOpen) c.res.headers.set('Access-Control-Allow-Origin', '*');
    c.res.headers.set('X-Content-Type-Options', 'nosniff');
  });
  app.options('*', (c) => c.body(null, 204));

  app.get('/health', async (c) => {
    const { project, chunks, vectors, sources } = await documents.stats(collection);
    const uptime = Math.round((performance.now() - started) / 1000);
    return c.json({ status: 'ok', project, chunks, vectors, sources, uptime });
  });
  const warningsOf = registry.instructionWarnings;
  const shown = async (c: Context, body: object) =>
    sendReply(c, await warnReaders({ warningsOf }, { status: 200, body }, { isOurs: true }));
  app.get('/stats', async (c) => shown(c, await documents.stats(collection)));
  app.get('/sources', async (c) => shown(c, await documents.sources(collection)));
  app.get('/chunks/:chunk_id', async (c) =>
    shown(c, await chunkInCollection(documents, collection, c.req.param('chunk_id'))),
  );
  const search = async (c: Context, body: Uint8Array = new Uint8Array()) => {
    const request = parseWith(collectionSearchSchema, await readJsonBody(body), 'search');
    return shown(c, await searchCollection(documents, collection, request));
  };
  app.post('/search', admitted('any', search));
  const parts = { documents: { ...documents, collection: () => documents.collection(collection) }, chat, warningsOf };
  app.post(
    '/chat',
    admitted('any', (c: Context, body = new Uint8Array()) => answerChat(c, parts, body)),
  );
  const { maxBytes: bodyLimitBytes } = load.bodies;
  const shared = { registry, memories, documents, version, logger, bodyLimitBytes };
  const mcp = mcpRoute({ ...shared, caller: UNRESTRICTED, toolset: { collection }, refuse: refuseRight });
  app.post(
    '/mcp',
    admitted('any', (c: Context, body) => mcp.answer(c.req.raw, body)),
  );

  app.notFound((c) => failed(c, new DowserError('NOT_FOUND', `Unknown route: ${showValue(c.req.path)}.`)));
  app.onError((thrown, c) => {
    const error = toDowserError(thrown);
    if (isFailure(error)) logger.error({ err: thrown }, 'request failed');
    return failed(c, error);
  });
  return app;
}

/** Clients of IndexFoundry's servers read `error` as a text, and know 400 for any request that is wrong. */
function failed(c: Context, error: DowserError): Response {
  const { message, ...about } = toErrorBody(error, { hint: 'See README.md for the routes.', docs: 'README.md' }).error;
  const status = error.httpStatus === 422 ? 400 : error.httpStatus;
  if (error.details?.retry_after !== undefined) c.header('Retry-After', String(error.details.retry_after));
  if (isClosing(error.code, c.req.raw)) c.header('Connection', 'close');
  return c.json({ error: message, detail: message, ...about }, status as 500);
}
