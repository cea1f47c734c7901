import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { callerKey } from '../model/caller/caller.ts';
import { canonicalJson } from '../model/definitions.ts';
import { DowserError, toDowserError } from '../model/errors/errors.ts';
import type { JsonObject } from '../model/json/json-object.ts';
import { parseWith } from '../model/parse/parse.ts';
import { instructionWarning, promptLikeText } from '../model/prompt-scan/prompt-like.ts';
import { ArgumentCheck } from './arguments/check-arguments.ts';
import { CallRate, RepeatedRefusals } from './caller-counts.ts';
import type { CallAnswer, CallBy, CallEvent, CallOptions, CallProgress, ToolCaller } from './contract/tool-caller.ts';
import { type PoolLimits, UpstreamPool } from './pool/upstream-pool.ts';
import { type PreparedCall, type PrepareParts, preflightTool, prepareCall } from './prepare-call.ts';
import { fitResult, wholeText } from './results/cut-result.ts';
import { KeptResults } from './results/kept-results.ts';
import { type RunParts, runCall } from './run-call.ts';

export interface ToolCallerParts extends PrepareParts, Omit<RunParts, 'pool'> {
  readonly pool: PoolLimits;
  /** Calls of one caller and tool in a second. 0: no limit. */
  readonly rate: number;
  /** Milliseconds, for what expires. Default: a clock that never goes back. */
  readonly now?: () => number;
}

const resultSchema = z.strictObject({
  id: z.string().max(128),
  from_char: z.int().min(0).default(0),
  max_tokens: z.int().min(50).max(100_000).default(8000),
});

/** How often the progress of a tool is passed on, at most. */
const PROGRESS_MS = 250;
/** A caller may send any names, where the schema of the tool allows it. */
const MAX_NAMES = 50;
const MAX_NAME_CHARS = 100;
/** An id that nobody guesses. */
const ID_BYTES = 16;

export function createToolCaller(parts: ToolCallerParts): ToolCaller {
  const now = parts.now ?? (() => performance.now());
  const pool = new UpstreamPool(parts.pool, now);
  const run = { pool, silentMs: parts.silentMs, totalMs: parts.totalMs };
  const check = new ArgumentCheck();
  const kept = new KeptResults(now);
  const rate = new CallRate(parts.rate, now);
  const refusals = new RepeatedRefusals();

  /** A refusal is recorded, but for those of callers that are too fast: they would fill the log. */
  async function prepared(request: unknown, by: CallBy): Promise<PreparedCall> {
    let path: string | null = null;
    try {
      return await prepareCall(request, by, parts, check, (found) => {
        path = found.path;
      });
    } catch (thrown) {
      by.onCall?.({ phase: 'refused', path, code: toDowserError(thrown).code });
      throw thrown;
    }
  }

  async function call(request: unknown, by: CallBy, { signal: given, onProgress }: CallOptions): Promise<CallAnswer> {
    const ready = await prepared(request, by);
    const { found, backend, options } = ready;
    const who = callerKey(by.caller);
    rate.take(who, found.path);
    const event = eventOf(ready);
    by.onCall?.({ ...event, phase: 'started' });
    const began = performance.now();
    let sentMs: number | undefined;
    const ended = (code: string, bytes?: number) => {
      const ms = Math.round(performance.now() - began);
      by.onCall?.({ ...event, phase: 'done', code, bytes, ms, sent_ms: sentMs });
    };
    try {
      const { result, startMs, queueMs } = await runCall(ready, run, {
        owner: JSON.stringify([who, options.session ?? '']),
        signal: given ?? new AbortController().signal,
        onProgress: atMost(onProgress, now),
        onSent: (ms) => {
          sentMs = ms;
        },
      });
      const id = randomBytes(ID_BYTES).toString('hex');
      const fitted = fitResult(result, id, options.max_tokens);
      if (fitted.isCut) kept.keep(id, who, result);
      ended(result.isError === true ? 'TOOL_ERROR' : 'OK', Buffer.byteLength(JSON.stringify(result)));
      return {
        result: fitted.result,
        call: {
          id,
          path: found.path,
          class: ready.class,
          definition: backend.definition,
          start_ms: Math.round(startMs),
          queue_ms: Math.round(queueMs),
          ms: Math.round((sentMs ?? 0) * 100) / 100,
          cut: fitted.isCut,
          repairs: ready.repairs,
          warnings: [...ready.warnings, ...orderWarnings(found.path, fitted.result)],
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
    preflight: (paths, by) => Promise.all(paths.map((path) => preflightTool(path, by, parts))),
    async check(request, by) {
      const { found, backend, server, ...call } = await prepareCall(request, by, parts, check);
      return {
        path: found.path,
        arguments: call.arguments,
        class: call.class,
        definition: backend.definition,
        server: backend.server.path,
        tool: backend.tool,
        starts: server.title,
        repairs: call.repairs,
        warnings: call.warnings,
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

function eventOf({
  found,
  backend,
  class: callClass,
  arguments: args,
  options,
}: PreparedCall): Omit<CallEvent, 'phase'> {
  return {
    path: found.path,
    server: backend.server.path,
    class: callClass,
    definition: backend.definition,
    session: options.session === '' ? undefined : options.session,
    argument_names: Object.keys(args)
      .sort()
      .slice(0, MAX_NAMES)
      .map((name) => name.slice(0, MAX_NAME_CHARS)),
    arguments_sha256: createHash('sha256').update(canonicalJson(args)).digest('hex'),
  };
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
