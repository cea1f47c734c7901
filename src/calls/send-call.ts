import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StandardSchemaV1,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { DowserError } from '../model/errors.ts';
import { isJsonObject, type JsonObject } from '../model/json-object.ts';
import { callError } from './call-errors.ts';
import type { Upstream } from './pool/upstream.ts';
import type { CallProgress } from './tool-caller.ts';

export interface SentCall {
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

/** Takes any answer as it is. */
const ANYTHING: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: 'dowser', validate: (value) => ({ value: isJsonObject(value) ? value : {} }) },
};

/** The codes of MCP for a server that asks its client for input. */
const NEEDS_INPUT: readonly number[] = [-32_021, -32_042];

/** Sends one call and waits for its answer. Aborting the signal cancels it at the server, under the id that it has there. */
export async function sendCall(upstream: Upstream, call: SentCall): Promise<Sent> {
  const { path, opened, state } = upstream;
  if (state !== 'ready') return { kind: 'unsent', error: lostBefore(path) };
  const options = {
    signal: call.signal,
    timeout: call.silentMs,
    maxTotalTimeout: call.totalMs,
    resetTimeoutOnProgress: true,
    onprogress: call.onProgress,
    allowInputRequired: true,
  };
  const params = { name: call.tool, arguments: { ...call.arguments } };
  try {
    const result = hasHeaders(call.definition)
      ? ((await opened.client.callTool(params, {
          ...options,
          toolDefinition: { name: call.tool, inputSchema: call.definition.inputSchema as { type: 'object' } },
        })) as JsonObject)
      : await opened.client.request({ method: 'tools/call', params }, ANYTHING, options);
    if (result.resultType === 'input_required' || isJsonObject(result.inputRequests)) {
      return { kind: 'final', error: inputNeeded(path) };
    }
    return { result };
  } catch (thrown) {
    return lost(upstream, call, thrown);
  }
}

/** Whether the client library must send arguments as headers too. It checks the answer, so other calls do without it. */
const hasHeaders = (definition: JsonObject): boolean =>
  JSON.stringify(definition.inputSchema ?? {}).includes('"x-mcp-header"');

function lost(upstream: Upstream, { signal, totalMs, silentMs }: SentCall, thrown: unknown): Lost {
  const { path, opened, server } = upstream;
  if (signal.aborted) {
    const error = callError('CANCELLED', 'The call was cancelled.', 'It may have run: check before you repeat it.');
    return { kind: 'final', error };
  }
  const clean = (text: string) => server.redactor().text(text);
  if (thrown instanceof ProtocolError) {
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
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
    const late = `The tool did not answer within ${Math.min(silentMs, totalMs) / 1000} s.`;
    return {
      kind: 'final',
      error: callError('TIMEOUT', late, 'It may have run: check before you repeat it. Or raise timeout_s.', {
        cause: thrown,
      }),
    };
  }
  if (isSignIn(thrown)) return { kind: 'final', error: signInNeeded(path, server.url) };
  const reason = server.redactor().error(opened.failure(thrown));
  const error = callError('UNAVAILABLE', `The server ${path} was lost. ${reason.message}`, 'Call again.', {
    cause: thrown,
  });
  return { kind: isUnsent(thrown) ? 'unsent' : 'unknown', error };
}

/** Whether a failed request never left: the connection was refused, or the pipe was closed before. */
function isUnsent(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return true;
    if (error.message === 'The process no longer reads its input.' || error.message === 'Not connected') return true;
  }
  return false;
}

export const isSignIn = (thrown: unknown): boolean =>
  thrown instanceof UnauthorizedError || (thrown instanceof SdkHttpError && [401, 403].includes(thrown.status));

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
  callError(
    'OUTCOME_UNKNOWN',
    `The tool ${path} may have run, but its answer was lost. ${message}`,
    'It may have run: check before you repeat it.',
    { retryable: false },
  );
