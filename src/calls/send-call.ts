import { ProtocolError, SdkError, SdkErrorCode, type StandardSchemaV1 } from '@modelcontextprotocol/client';
import type { DowserError } from '../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../model/json/json-object.ts';
import { ellipsed } from '../model/text/token-count.ts';
import { untilStreamEnds } from '../sources/mcp/answer-streams.ts';
import { isUnauthorized } from '../sources/mcp/connection-failure.ts';
import { NotRefreshed } from '../sources/mcp/sign-in/stored-sign-in.ts';
import { callError } from './contract/call-errors.ts';
import type { CallProgress } from './contract/tool-caller.ts';
import type { Upstream } from './pool/upstream.ts';

export interface SentCall {
  /** The path of the server, for messages. */
  readonly path: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The definition of the tool: some arguments are sent as headers too. */
  readonly definition: JsonObject;
  readonly signal: AbortSignal;
  /** Without a sign of progress, and in all. */
  readonly silentMs: number;
  readonly totalMs: number;
  readonly onProgress: (progress: CallProgress) => void;
}

/** How a call ended that has no answer. */
export type Lost =
  /** It never reached the server. */
  | { readonly kind: 'unsent'; readonly error: DowserError }
  /** The server may have run it. */
  | { readonly kind: 'unknown'; readonly error: DowserError }
  /** Sending it again would not help. */
  | { readonly kind: 'final'; readonly error: DowserError };

export type Sent = { readonly result: JsonObject } | Lost;

/** Of the message of a progress, which may be as long as an answer. */
const MAX_SHOWN_CHARS = 1000;
/** A secret at the end of what is shown is still found whole. */
const MAX_SAID_CHARS = 2 * MAX_SHOWN_CHARS;

/** Takes any answer as it is. */
const ANYTHING: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: 'dowser', validate: (value) => ({ value: isJsonObject(value) ? value : {} }) },
};

/** The codes of MCP for a server that asks its client for input. */
const NEEDS_INPUT: readonly number[] = [-32_021, -32_042];

/** Sends one call and waits for its answer. Aborting the signal cancels it at the server, under the id that it has there. */
export async function sendCall(upstream: Upstream, call: SentCall): Promise<Sent> {
  const { opened, state } = upstream;
  const { path, signal, totalMs } = call;
  if (state !== 'ready') return { kind: 'unsent', error: lostBefore(path) };
  // The library does not cancel at the server when a limit in all is over.
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), totalMs);
  const options = {
    signal: AbortSignal.any([signal, limit.signal]),
    timeout: call.silentMs,
    resetTimeoutOnProgress: true,
    onprogress: ({ progress, total, message }: CallProgress) => {
      upstream.answered();
      const text =
        message === undefined ? undefined : upstream.server.redactor().text(message.slice(0, MAX_SAID_CHARS));
      call.onProgress({ progress, ...stated({ total, message: text && ellipsed(text, MAX_SHOWN_CHARS) }) });
    },
    allowInputRequired: true,
  };
  const params = { name: call.tool, arguments: { ...call.arguments } };
  try {
    const result = await untilStreamEnds(async () =>
      hasHeaders(call.definition)
        ? ((await opened.client.callTool(params, {
            ...options,
            toolDefinition: { name: call.tool, inputSchema: call.definition.inputSchema as { type: 'object' } },
          })) as JsonObject)
        : opened.client.request({ method: 'tools/call', params }, ANYTHING, options),
    );
    upstream.answered();
    if (result.resultType === 'input_required' || isJsonObject(result.inputRequests)) {
      return { kind: 'final', error: inputNeeded(path) };
    }
    return { result };
  } catch (thrown) {
    return lost(upstream, call, limit.signal.aborted, thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** The failure of a request before the call, such as of a new list of tools. */
export function unsent(upstream: Upstream, path: string, signal: AbortSignal, thrown: unknown): Lost {
  if (signal.aborted)
    return { kind: 'final', error: cancelled('The call was cancelled before it was sent.', 'Call again.') };
  return { kind: 'unsent', error: unavailable(upstream, path, thrown) };
}

/** Whether the client library must send arguments as headers too. It checks the answer, so other calls do without it. */
const hasHeaders = (definition: JsonObject): boolean =>
  JSON.stringify(definition.inputSchema ?? {}).includes('"x-mcp-header"');

function lost(upstream: Upstream, call: SentCall, isOver: boolean, thrown: unknown): Lost {
  const { signal, totalMs, silentMs, path } = call;
  const { server } = upstream;
  if (signal.aborted) return { kind: 'final', error: cancelled('The call was cancelled.', MAY_HAVE_RUN) };
  const clean = (text: string) => server.redactor().text(text);
  if (thrown instanceof ProtocolError) {
    upstream.answered();
    const { code, message } = thrown;
    if (NEEDS_INPUT.includes(code)) return { kind: 'final', error: inputNeeded(path) };
    return {
      kind: 'final',
      error: callError(
        'PROTOCOL',
        `The server ${path} answered with the error ${code}: ${clean(message)}`,
        'Check the arguments with get_details. The tool itself did not report this.',
        { upstream_code: code, cause: thrown },
      ),
    };
  }
  const code = thrown instanceof SdkError ? thrown.code : undefined;
  if (code === SdkErrorCode.InvalidResult) {
    const message = `The answer of the server ${path} is not the result of a tool. ${clean((thrown as Error).message)}`;
    return { kind: 'final', error: callError('PROTOCOL', message, MAY_HAVE_RUN, { cause: thrown }) };
  }
  if (isOver || code === SdkErrorCode.RequestTimeout) {
    upstream.leftUnanswered();
    const late = `The tool did not answer within ${(isOver ? totalMs : Math.min(silentMs, totalMs)) / 1000} s.`;
    const hint = `${MAY_HAVE_RUN} Or raise timeout_s.`;
    return { kind: 'final', error: callError('TIMEOUT', late, hint, { cause: thrown }) };
  }
  if (isUnauthorized(thrown)) return { kind: 'final', error: signInNeeded(path, server.url) };
  return { kind: isUnsent(thrown) ? 'unsent' : 'unknown', error: unavailable(upstream, path, thrown) };
}

const MAY_HAVE_RUN = 'It may have run: check before you repeat it.';

const cancelled = (message: string, hint: string): DowserError => callError('CANCELLED', message, hint);

function unavailable({ server, opened }: Upstream, path: string, thrown: unknown): DowserError {
  const failure = opened.failure(thrown);
  const reason = server.redactor().error(failure);
  if (opened.child?.isTooLong === true || failure.code === 'BODY_TOO_LARGE') {
    const how = 'It may have run. Ask the tool for less at once.';
    return callError('PROTOCOL', `An answer of the server ${path} is too large. ${reason.message}`, how, {
      cause: thrown,
    });
  }
  return callError('UNAVAILABLE', `The server ${path} was lost. ${reason.message}`, 'Call again.', { cause: thrown });
}

/** Whether a failed request was never done: the connection or the token was refused, or the pipe was closed before. */
function isUnsent(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof NotRefreshed) return true;
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return true;
    if (error.message === 'The process no longer reads its input.' || error.message === 'Not connected') return true;
  }
  return false;
}

export const signInNeeded = (path: string, url = ''): DowserError =>
  callError(
    'SIGN_IN_NEEDED',
    `The server ${path} requires a sign-in.`,
    `The operator can sign in with \`dowser login ${url}\`.`,
  );

const inputNeeded = (path: string) =>
  callError(
    'INPUT_NEEDED',
    `The tool of ${path} asks its user for input, which cannot be given through Dowser.`,
    'Use this server directly in your client, or a tool that needs no input.',
  );

const lostBefore = (path: string) =>
  callError('UNAVAILABLE', `The server ${path} ended before the call was sent.`, 'Call again.');

export const outcomeUnknown = (path: string, { message }: DowserError): DowserError =>
  callError('OUTCOME_UNKNOWN', `The tool ${path} may have run, but its answer was lost. ${message}`, MAY_HAVE_RUN, {
    retryable: false,
  });
