import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { CallClass } from '../model/call-classes.ts';
import { callerKey } from '../model/caller.ts';
import { canonicalJson } from '../model/definitions.ts';
import { DowserError, toDowserError } from '../model/errors.ts';
import type { JsonObject } from '../model/json-object.ts';
import { parseWith, showValue } from '../model/parse.ts';
import { instructionWarning, promptLikeText } from '../model/prompt-like.ts';
import type { CallableServer } from '../sources/mcp/callable-server.ts';
import { authorize } from './authorize.ts';
import { type CallLimit, isRepeatable } from './call-class.ts';
import { callError } from './call-errors.ts';
import type { CallRules } from './call-rules.ts';
import { CallRate, RepeatedRefusals } from './caller-counts.ts';
import { ArgumentCheck, signatureOf } from './check-arguments.ts';
import { fitResult, wholeText } from './cut-result.ts';
import { KeptResults } from './kept-results.ts';
import { fitArguments, readTarget, repairLine } from './normalize.ts';
import { type PoolLimits, UpstreamPool } from './pool/upstream-pool.ts';
import { resolveTool } from './resolve-tool.ts';
import { outcomeUnknown, type Sent, sendCall, signInNeeded } from './send-call.ts';
import type {
  Backend,
  CallAnswer,
  CallBy,
  CallEvent,
  CallOptions,
  CallProgress,
  FoundTool,
  ServerSource,
  ToolCaller,
} from './tool-caller.ts';

export interface ToolCallerParts {
  /** The highest class that may be called. */
  readonly limit: Exclude<CallLimit, 'off'>;
  /** What the operator allows and denies, as it is now. */
  readonly rules: () => CallRules;
  /** Whether a source was added with this data folder. */
  readonly isTrusted: (source: ServerSource) => boolean;
  /** How to connect to a server, with the folder of the rule. Undefined for one without a command or an address. */
  readonly connect: (backend: Backend, cwd: string | undefined) => Promise<CallableServer | undefined>;
  readonly pool: PoolLimits;
  /** Without a sign of progress, and in all, in milliseconds. */
  readonly silentMs: number;
  readonly totalMs: number;
  /** Calls of one caller and tool in a second. 0: no limit. */
  readonly rate: number;
  /** Milliseconds, for what expires. Default: a clock that never goes back. */
  readonly now?: () => number;
}

const optionsSchema = z.object({
  definition: z.string().max(128).optional(),
  session: z.string().max(64).optional(),
  max_tokens: z.int().min(50).max(100_000).default(8000),
  timeout_s: z.int().min(1).max(600).optional(),
  read_only: z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

const resultSchema = z.strictObject({
  id: z.string().max(128),
  from_char: z.int().min(0).default(0),
  max_tokens: z.int().min(50).max(100_000).default(8000),
});

/** A call that has passed every check. Only this is executed. */
interface PreparedCall {
  readonly found: FoundTool;
  readonly backend: Backend;
  readonly arguments: JsonObject;
  readonly class: CallClass;
  readonly server: CallableServer;
  readonly options: Options;
  readonly repairs: readonly string[];
  readonly warnings: readonly string[];
}

/** How often the progress of a tool is passed on, at most. */
const PROGRESS_MS = 250;
/** An id that nobody guesses. */
const ID_BYTES = 16;

export function createToolCaller(parts: ToolCallerParts): ToolCaller {
  const now = parts.now ?? (() => performance.now());
  const pool = new UpstreamPool(parts.pool, now);
  const check = new ArgumentCheck();
  const kept = new KeptResults(now);
  const rate = new CallRate(parts.rate, now);
  const refusals = new RepeatedRefusals();

  async function prepare(request: unknown, { caller, view }: CallBy): Promise<PreparedCall> {
    const target = readTarget(request);
    const options = parseWith(optionsSchema, target.options, 'call', 'INVALID_ARGUMENTS');
    const { found, repair } = await resolveTool(view, target.path);
    const rules = parts.rules();
    const allowed = authorize({
      found,
      caller,
      rules,
      limit: parts.limit,
      readOnly: options.read_only,
      isTrusted: parts.isTrusted,
    });
    const { backend, rule } = allowed;
    checkDefinition(found, backend, options.definition);
    const schema = backend.accepted.inputSchema as JsonObject | undefined;
    const fitted = fitArguments(target, schema);
    const checked = check.check(`${found.path} ${backend.definition}`, schema, fitted.arguments);
    if (checked.problem !== null) throw invalidArguments(found.path, checked.problem);
    const server = await connectTo(found, backend, rule.cwd);
    allowed.checkCredentials(server.usesCredentials);
    return {
      found,
      backend,
      arguments: fitted.arguments,
      class: allowed.class,
      server,
      options,
      repairs: repair === null ? fitted.repairs : [...fitted.repairs, repair],
      warnings: checked.warning === null ? [] : [checked.warning],
    };
  }

  async function connectTo(found: FoundTool, backend: Backend, cwd: string | undefined): Promise<CallableServer> {
    const problem = (message: string, hint: string) => callError('NOT_CALLABLE', message, hint);
    let server: CallableServer | undefined;
    try {
      server = await parts.connect(backend, cwd);
    } catch (thrown) {
      const { message, ownHint } = toDowserError(thrown);
      throw problem(`The tool ${found.path} cannot be called. ${message}`, ownHint ?? 'Ask the operator.');
    }
    if (server !== undefined) return server;
    throw problem(
      `The server ${backend.server.path} has neither a command nor an address.`,
      'Add it with `dowser add`, with the command that starts it or its address.',
    );
  }

  /** Sends it once, or again where that does no harm. */
  async function execute(
    call: PreparedCall,
    owner: string,
    signal: AbortSignal,
    onProgress: (progress: CallProgress) => void,
  ) {
    const { found, backend, server, options } = call;
    const totalMs = Math.min(parts.totalMs, (options.timeout_s ?? Number.POSITIVE_INFINITY) * 1000);
    const repeatable = isRepeatable(backend.accepted.annotations, call.class);
    let startMs = 0;
    let queueMs = 0;
    for (let attempt = 0; ; attempt++) {
      const lease = await acquire(call, owner, signal);
      startMs += lease.startMs;
      queueMs += lease.queueMs;
      const { upstream } = lease;
      const began = performance.now();
      let sent: Sent;
      try {
        const tools = await upstream.tools(signal);
        const definition = tools.get(backend.tool);
        checkSame(found, backend, definition);
        sent = await sendCall(upstream, {
          tool: backend.tool,
          arguments: call.arguments,
          definition: definition!,
          signal,
          silentMs: Math.min(parts.silentMs, totalMs),
          totalMs,
          onProgress,
        });
      } finally {
        lease.release();
      }
      if ('result' in sent) {
        return { result: cleaned(sent.result, server), startMs, queueMs, ms: performance.now() - began };
      }
      if (sent.kind === 'final') throw sent.error;
      await pool.discard(upstream);
      if (sent.kind === 'unknown' && !repeatable) throw outcomeUnknown(found.path, sent.error);
      if (attempt > 0) throw sent.error;
    }
  }

  async function acquire({ server, backend }: PreparedCall, owner: string, signal: AbortSignal) {
    try {
      return await pool.acquire(server, backend.server.path, owner, signal);
    } catch (thrown) {
      if (signal.aborted) throw callError('CANCELLED', 'The call was cancelled before it was sent.', 'Call again.');
      const error = toDowserError(thrown);
      if (error.code === 'FORBIDDEN') throw signInNeeded(backend.server.path, server.url);
      if (error.code !== 'SOURCE_UNREACHABLE' && error.code !== 'INTERNAL') throw error;
      const why = error.code === 'INTERNAL' ? 'It ended while it started.' : error.message;
      throw callError(
        'UNAVAILABLE',
        `The server ${backend.server.path} cannot be used. ${why}`,
        error.ownHint ?? 'Call again.',
      );
    }
  }

  async function call(request: unknown, by: CallBy, { signal: given, onProgress }: CallOptions): Promise<CallAnswer> {
    const prepared = await prepare(request, by);
    const { found, backend, options } = prepared;
    const who = callerKey(by.caller);
    rate.take(who, found.path);
    const signal = given ?? new AbortController().signal;
    const event = eventOf(prepared);
    by.onCall?.({ ...event, phase: 'started' });
    const began = performance.now();
    const ended = (code: string, bytes?: number) => {
      const done = { ...event, phase: 'done' as const, code, bytes, ms: Math.round(performance.now() - began) };
      by.onCall?.(done);
    };
    try {
      const owner = JSON.stringify([who, options.session ?? '']);
      const { result, startMs, queueMs, ms } = await execute(prepared, owner, signal, atMost(onProgress, now));
      const id = randomBytes(ID_BYTES).toString('hex');
      const fitted = fitResult(result, id, options.max_tokens);
      if (fitted.isCut) kept.keep(id, who, result);
      ended(result.isError === true ? 'TOOL_ERROR' : 'OK', Buffer.byteLength(JSON.stringify(result)));
      const { repairs } = prepared;
      return {
        result: fitted.result,
        call: {
          id,
          path: found.path,
          class: prepared.class,
          definition: backend.definition,
          start_ms: Math.round(startMs),
          queue_ms: Math.round(queueMs),
          ms: Math.round(ms * 100) / 100,
          cut: fitted.isCut,
          repairs: repairs.length === 0 ? [] : [repairLine(repairs, found.path, prepared.arguments)],
          warnings: [...prepared.warnings, ...orderWarnings(found.path, fitted.result)],
        },
      };
    } catch (thrown) {
      ended(toDowserError(thrown).code);
      throw thrown;
    }
  }

  return {
    async call(request, by, options = {}) {
      const who = callerKey(by.caller);
      try {
        const answer = await call(request, by, options);
        refusals.forget(who);
        return answer;
      } catch (thrown) {
        throw thrown instanceof DowserError ? refusals.noted(who, thrown) : thrown;
      }
    },
    async preflight(paths, by) {
      return Promise.all(
        paths.map(async (path) => {
          const nothing = { path, class: null, definition: null, signature: null };
          try {
            const { found } = await resolveTool(by.view, path);
            const rules = parts.rules();
            const {
              backend,
              rule,
              class: callClass,
              checkCredentials,
            } = authorize({
              found,
              caller: by.caller,
              rules,
              limit: parts.limit,
              readOnly: false,
              isTrusted: parts.isTrusted,
            });
            checkDefinition(found, backend, undefined);
            const server = await connectTo(found, backend, rule.cwd);
            checkCredentials(server.usesCredentials);
            const signature = signatureOf(backend.accepted.inputSchema as JsonObject | undefined);
            const { definition } = backend;
            return { path: found.path, class: callClass, definition, signature, code: null, why: null };
          } catch (thrown) {
            const { code, message } = toDowserError(thrown);
            return { ...nothing, code, why: message };
          }
        }),
      );
    },
    async check(request, by) {
      const {
        found,
        backend,
        server,
        class: callClass,
        arguments: args,
        repairs,
        warnings,
      } = await prepare(request, by);
      return {
        path: found.path,
        arguments: args,
        class: callClass,
        definition: backend.definition,
        server: backend.server.path,
        tool: backend.tool,
        starts: server.title,
        repairs: repairs.length === 0 ? [] : [repairLine(repairs, found.path, args)],
        warnings,
      };
    },
    async readResult(request, { caller }) {
      const { id, from_char, max_tokens } = parseWith(resultSchema, request, 'request');
      return kept.read(id, callerKey(caller), from_char, max_tokens);
    },
    status: async () => pool.status(),
    stop: (path) => pool.stop(path),
    close: () => pool.close(),
  };
}

/** Neither the registry nor the agent may know the tool as something else. */
function checkDefinition({ path }: FoundTool, { definition, isDrifted }: Backend, asked: string | undefined): void {
  if (isDrifted) throw drifted(path);
  if (asked === undefined || asked === definition) return;
  throw callError(
    'DRIFTED',
    `The tool ${path} is not as you read it: its definition is ${definition}, not ${showValue(asked)}.`,
    'Read it again with get_details.',
  );
}

/** The server must still say of the tool what was accepted. */
function checkSame({ path }: FoundTool, { accepted, tool }: Backend, actual: JsonObject | undefined): void {
  if (actual === undefined) {
    throw callError('DRIFTED', `The server no longer has the tool ${showValue(tool)} of ${path}.`, REFRESH);
  }
  const isSame = COMPARED.every((field) => stated(accepted[field]) === stated(actual[field]));
  if (!isSame) throw drifted(path);
}

const COMPARED = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'];
/** An entity has an empty description where its server has none. */
const stated = (value: unknown): string => canonicalJson(value === '' ? null : (value ?? null));
const REFRESH = 'The operator can run `dowser refresh`, then `dowser drift` to see and accept the change.';
const drifted = (path: string) => callError('DRIFTED', `The tool ${path} has changed since it was accepted.`, REFRESH);

function invalidArguments(
  path: string,
  {
    at,
    expected,
    example,
  }: { readonly at: string; readonly expected: string; readonly example: JsonObject | undefined },
): DowserError {
  const shown = example === undefined ? '' : ` For example ${JSON.stringify({ path, arguments: example })}`;
  return callError(
    'INVALID_ARGUMENTS',
    `The arguments of ${path} do not fit its schema: ${at} ${expected}.`,
    `Correct them: get_details shows the schema.${shown}`,
    {
      field: `arguments${at === '/' ? '' : at.replaceAll('/', '.')}`,
      expected,
      ...(example === undefined ? {} : { example }),
    },
  );
}

function eventOf({ found, backend, class: callClass, arguments: args }: PreparedCall): Omit<CallEvent, 'phase'> {
  return {
    path: found.path,
    server: backend.server.path,
    class: callClass,
    definition: backend.definition,
    argument_names: Object.keys(args).sort(),
    arguments_sha256: createHash('sha256').update(canonicalJson(args)).digest('hex'),
  };
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

function orderWarnings(path: string, result: JsonObject): readonly string[] {
  const phrase = promptLikeText(wholeText(result));
  return phrase === null ? [] : [instructionWarning(path, phrase)];
}

/** Passes on the first progress, and then at most four a second. */
function atMost(onProgress: CallOptions['onProgress'], now: () => number): (progress: CallProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (progress) => {
    if (onProgress === undefined || now() - last < PROGRESS_MS) return;
    last = now();
    onProgress(progress);
  };
}
