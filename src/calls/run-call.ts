import { toDowserError } from '../model/errors/errors.ts';
import type { JsonObject } from '../model/json/json-object.ts';
import type { CallableServer } from '../sources/mcp/callable-server.ts';
import { checkedDefinition } from './check-definition.ts';
import { callError } from './contract/call-errors.ts';
import type { CallProgress } from './contract/tool-caller.ts';
import type { Lease, UpstreamPool } from './pool/upstream-pool.ts';
import type { PreparedCall } from './prepare-call.ts';
import { isRepeatable } from './rules/call-class.ts';
import { outcomeUnknown, type Sent, sendCall, signInNeeded, unsent } from './send-call.ts';

export interface RunParts {
  readonly pool: UpstreamPool;
  /** Without a sign of progress, and in all, in milliseconds. */
  readonly silentMs: number;
  readonly totalMs: number;
}

export interface RunOptions {
  /** Whose state an instance may hold. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CallProgress) => void;
  /** Called after each try, also one that failed, with how long the server had it. */
  readonly onSent: (ms: number) => void;
}

export interface CallOutcome {
  /** Without the secrets of the operator. */
  readonly result: JsonObject;
  readonly startMs: number;
  readonly queueMs: number;
}

/** Sends a call once, or once more where that does no harm. Throws what a call fails with. */
export async function runCall(
  call: PreparedCall,
  { pool, silentMs, totalMs }: RunParts,
  options: RunOptions,
): Promise<CallOutcome> {
  const { found, backend } = call;
  const limitMs = Math.min(totalMs, (call.options.timeout_s ?? Number.POSITIVE_INFINITY) * 1000);
  const repeatable = isRepeatable(backend.accepted.annotations, call.class);
  let startMs = 0;
  let queueMs = 0;
  for (let attempt = 0; ; attempt++) {
    const lease = await acquire(pool, call, options);
    startMs += lease.startMs;
    queueMs += lease.queueMs;
    const sent = await sendOnce(call, lease, { ...options, silentMs: Math.min(silentMs, limitMs), totalMs: limitMs });
    if ('result' in sent) {
      // Its sign-in may have been refreshed during the call.
      return { result: cleaned(sent.result, lease.upstream.server), startMs, queueMs };
    }
    if (sent.kind === 'final') throw sent.error;
    await pool.discard(lease.upstream);
    if (sent.kind === 'unknown' && !repeatable) throw outcomeUnknown(found.path, sent.error);
    if (attempt > 0) throw sent.error;
  }
}

async function sendOnce(
  { found, backend, arguments: args }: PreparedCall,
  { upstream, release }: Lease,
  options: RunOptions & Pick<RunParts, 'silentMs' | 'totalMs'>,
): Promise<Sent> {
  try {
    let tools: ReadonlyMap<string, JsonObject>;
    try {
      tools = await upstream.tools(options.signal);
    } catch (thrown) {
      return unsent(upstream, backend.server.path, options.signal, thrown);
    }
    const definition = checkedDefinition(found, backend, tools);
    const { path } = backend.server;
    const began = performance.now();
    const sent = await sendCall(upstream, { ...options, path, tool: backend.tool, arguments: args, definition });
    if (!('kind' in sent) || sent.kind !== 'unsent') options.onSent(performance.now() - began);
    return sent;
  } finally {
    release();
  }
}

async function acquire(
  pool: UpstreamPool,
  { server, backend }: PreparedCall,
  { owner, signal }: RunOptions,
): Promise<Lease> {
  const { path } = backend.server;
  try {
    return await pool.acquire(server, path, owner, signal);
  } catch (thrown) {
    if (signal.aborted) throw callError('CANCELLED', 'The call was cancelled before it was sent.', 'Call again.');
    const error = toDowserError(thrown);
    if (error.code === 'FORBIDDEN') throw signInNeeded(path, server.url);
    if (error.code !== 'SOURCE_UNREACHABLE' && error.code !== 'INTERNAL') throw error;
    const why = error.code === 'INTERNAL' ? 'It ended while it started.' : error.message;
    throw callError('UNAVAILABLE', `The server ${path} cannot be used. ${why}`, error.ownHint ?? 'Call again.');
  }
}

/** Without the secrets of the operator. Media are left as they are. */
function cleaned(result: JsonObject, server: CallableServer): JsonObject {
  const { content, ...rest } = result;
  const redactor = server.redactor();
  const blocks = Array.isArray(content)
    ? content.map((block: JsonObject) =>
        block?.type === 'image' || block?.type === 'audio' ? block : redactor.json(block),
      )
    : content;
  return { ...redactor.json(rest), ...(content === undefined ? {} : { content: blocks }) };
}
