import { Hono } from 'hono';
import { CHALLENGE_HEADER, PROOF_HEADER, proofOf } from '../api/wire/local-proof.ts';
import { createDocuments } from '../documents/create-documents.ts';
import { createMemories } from '../memories/create-memories.ts';
import { answerError, answerNotFound } from './answer-error.ts';
import type { AppContext, Variables } from './context/app-context.ts';
import type { AppOptions } from './context/app-options.ts';
import { answersAsCaller } from './context/as-caller.ts';
import { callerSurfaces } from './context/caller-surfaces.ts';
import { tellRevision } from './context/follow-revision.ts';
import { sharedReader } from './documents/shared-reader.ts';
import { checkRequestSource } from './edge/loopback-guard.ts';
import { refuseRight, requestCallers } from './edge/request-caller.ts';
import { logSearches } from './log/log-searches.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { recordRequest } from './record-request.ts';
import { RememberingRouter } from './remembering-router.ts';
import { addDocumentRoutes } from './routes/document-routes.ts';
import { addMcpRoutes } from './routes/mcp-routes.ts';
import { addMemoryRoutes } from './routes/memory-routes.ts';
import { addOperationRoutes } from './routes/operation-routes.ts';
import { addPageRoutes } from './routes/page-routes.ts';
import type { RouteParts } from './routes/route-parts.ts';
import { routeTable } from './routes/route-table.ts';
import { addStandardRoutes } from './routes/standard-routes.ts';

/** The HTTP server without a port. */
export function createApp(options: AppOptions): Hono<{ Variables: Variables }> {
  const { logger, load, secret, tracing = null } = options;
  const { registry, during } = logSearches(options.registry, logger);
  const metrics = new ServerMetrics(options);
  if (tracing !== null) {
    options.registry.watchSearches((timed) => tracing.searched(timed));
    options.registry.watchCalls((event) => tracing.called(event));
  }
  const surfaceOf = callerSurfaces({
    ...options,
    metrics,
    registry,
    memories: options.openMemories?.(registry) ?? createMemories(registry),
    documents: createDocuments(registry),
    replica: options.registry.replica,
    damage: () => options.registry.damage(),
    vectorServer: options.registry.vectorServer,
    bodyLimitBytes: load.bodies.maxBytes,
    refuse: refuseRight,
  });
  // Not strict: a slash at the end of a URL has no meaning.
  const app = new Hono<{ Variables: Variables }>({ strict: false, router: new RememberingRouter() });

  app.use(recordRequest(options, { metrics, during }));
  app.use(async (c, next) => {
    checkRequestSource(c.req.method, c.req.raw.headers, options);
    await next();
    tellRevision(options.registry.replica, c);
    const challenge = c.req.header(CHALLENGE_HEADER);
    const proof = challenge === undefined || secret === undefined ? null : proofOf(secret, challenge);
    if (proof !== null) c.res.headers.set(PROOF_HEADER, proof);
  });

  const { route, refuseOtherMethods } = routeTable(app);
  const callerOf = requestCallers(options);
  const asCaller = answersAsCaller(options, callerOf, surfaceOf);
  const parts: RouteParts = { options, route, callerOf, asCaller, reader: sharedReader() };
  addOperationRoutes(parts);
  addStandardRoutes(parts, registry);
  addMemoryRoutes(parts);
  addMcpRoutes(parts);
  addDocumentRoutes(parts);
  addPageRoutes(parts);
  refuseOtherMethods();

  app.notFound((c) => answerNotFound(c as AppContext, logger));
  app.onError((thrown, c) => answerError(c as AppContext, thrown, options));
  return app;
}
