import type { Access } from '../../access/open-access.ts';
import { readSlices, valueRead } from '../../api/wire/json-text.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { McpEndpoint } from '../../mcp/serve-http.ts';
import type { ServedTools } from '../../mcp/toolsets.ts';
import type { Memories } from '../../memories/memories.ts';
import { type Caller, hasRight, type Right } from '../../model/caller/caller.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { Registry, ScopedRegistry } from '../../registry/contract/registry.ts';
import { inTurns } from '../body/in-turns.ts';
import { decodeUtf8 } from '../body/read-body.ts';
import { endless } from '../load/endless-streams.ts';
import type { Logger } from '../log/logger.ts';

export interface McpRouteOptions {
  readonly caller: Caller;
  readonly registry: Registry & Pick<ScopedRegistry, 'instructionWarnings'>;
  readonly memories: Memories;
  readonly documents: Documents;
  readonly toolset: ServedTools;
  readonly version: string;
  readonly logger: Logger;
  readonly bodyLimitBytes: number;
  /** Whether tools of registered servers may be called. Default false. */
  readonly calls?: boolean | undefined;
  /** Throws what a caller gets who lacks a right. */
  readonly refuse: (caller: Caller, right: Right) => never;
  /** Records what tools write. Default: nothing is recorded. */
  readonly access?: Pick<Access, 'trail'> | undefined;
  /** Aborts when the server begins to stop. */
  readonly stopping?: AbortSignal;
}

/** `takeMore` counts the calls of a batch after the first. Default: nothing is counted. */
export type McpAnswer = (
  request: Request,
  body?: Uint8Array,
  takeMore?: (requests: number) => void,
) => Promise<Response>;

export interface McpRoute {
  readonly answer: McpAnswer;
  /** Ends open subscriptions. Call it when the route is no longer kept. */
  close(): Promise<void>;
}

/**
 * The MCP endpoint of one caller. The first request loads the protocol's library. It gets the message parsed: it would decode and
 * parse a long one again, all in one turn of the event loop.
 */
export function mcpRoute(options: McpRouteOptions): McpRoute {
  let endpoint: Promise<McpEndpoint> | undefined;
  let isClosed = false;
  const { caller, registry, memories, documents, toolset, version, logger, bodyLimitBytes, stopping } = options;
  const trail = options.access?.trail ?? null;
  const isRestricted = caller.scopes !== undefined;
  const open = async () => {
    const { createMcpEndpoint } = await import('../../mcp/serve-http.ts');
    // A subscription never ends by itself, and would delay the shutdown.
    stopping?.addEventListener('abort', close, { once: true });
    return createMcpEndpoint({
      catalog: { ...registry, memories, documents },
      toolset,
      version,
      bodyLimitBytes,
      calls: options.calls,
      ...(isRestricted ? { mayUse: (right) => hasRight(caller, right) } : {}),
      // The answer is a stream: the request may be over before its tool is.
      ...(trail === null ? {} : { onCalled: (code) => trail.current && trail.finish(trail.current, code) }),
      onError: (err) => logger.error({ err }, 'mcp'),
    });
  };
  const close = async () => {
    isClosed = true;
    stopping?.removeEventListener('abort', close);
    await (await endpoint)?.close();
  };
  /** Refused before the protocol's library sees it, so that the client is told by status and header which scope it needs. */
  const checkCalls = (sent: unknown, rights: McpEndpoint['rights']) => {
    const called = toolsCalled(sent);
    if (trail?.current !== undefined && called.length > 0) trail.current.action = `tools/call ${called.join(' ')}`;
    for (const tool of called) {
      const right = rights.get(tool);
      if (right !== undefined && !hasRight(caller, right)) options.refuse(caller, right);
    }
  };
  const answer: McpAnswer = async (request, bytes = new Uint8Array(), takeMore) => {
    const { method, url, signal } = request;
    const sent = await readMessage(bytes);
    if (Array.isArray(sent) && sent.length > 1) takeMore?.(sent.length - 1);
    endpoint ??= open();
    const opened = await endpoint;
    if (isRestricted || trail !== null) checkCalls(sent, opened.rights);
    // The credentials end here: no tool gets them.
    const headers = new Headers(request.headers);
    for (const name of ['authorization', 'x-api-key']) headers.delete(name);
    const response = await opened.fetch(new Request(url, { method, headers, signal }), sent);
    // Not by the header: a client could send that with any call.
    const isSubscription = isJsonObject(sent) && sent.method === 'subscriptions/listen';
    if (!isSubscription) return response;
    // It began before the route was closed.
    if (isClosed || stopping?.aborted === true) await opened.close();
    return endless(response);
  };
  return { answer, close };
}

/** The tools that a request calls: one, or several in a batch of an older revision. */
function toolsCalled(sent: unknown): readonly string[] {
  return [sent].flat().flatMap((message) => {
    if (!isJsonObject(message) || message.method !== 'tools/call' || !isJsonObject(message.params)) return [];
    const { name } = message.params;
    return typeof name === 'string' ? [name] : [];
  });
}

/** Undefined where it is no JSON: the protocol's library says so to the client. Throws for one that exceeds a limit. */
async function readMessage(bytes: Uint8Array): Promise<unknown> {
  const text = decodeUtf8(bytes);
  const read = await inTurns(readSlices(text));
  return 'isMalformed' in read ? undefined : valueRead(text, read, 'request body');
}
