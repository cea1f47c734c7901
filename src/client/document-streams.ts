import { CHAT_PATH, UPLOAD_PATH } from '../api/wire/document-streams.ts';
import type { AskEvent } from '../documents/ask/ask-event.ts';
import type { AskRequestInput } from '../documents/ask/ask-request.ts';
import { eventData } from '../documents/ask/event-stream.ts';
import type { FoundChunk } from '../documents/contract/document-answers.ts';
import type { UploadStep } from '../documents/upload-file.ts';
import { DowserError, type ErrorCode } from '../model/errors/errors.ts';
import { knownCode, parsed, reasonOf, toError, unreachable } from './answer-errors.ts';
import { type CallOptions, type ClientOptions, checkOptions, urlOf } from './client.ts';

export interface FileToSend {
  /** Its path in the collection. A file of the same path is replaced. */
  readonly path: string;
  readonly bytes: Blob | Uint8Array<ArrayBuffer>;
}

type StreamOptions = Pick<CallOptions, 'signal'>;
export type AnswerEvent = AskEvent<FoundChunk>;

/** Sends a file to a collection, and gives its steps as they happen. Throws INVALID_FILE for one that cannot be read. */
export async function* uploadFile(
  options: ClientOptions,
  collection: string,
  { path, bytes }: FileToSend,
  call: StreamOptions = {},
): AsyncGenerator<UploadStep> {
  const url = urlOf(options.baseUrl, UPLOAD_PATH, { params: { name: collection }, query: { path } });
  for await (const step of events<UploadStep>(options, url, 'application/octet-stream', bytes, call)) {
    if ('error' in step) throw new DowserError(step.code, step.error);
    yield step;
  }
}

/** Asks a collection. Sources come first, then the answer in parts. A failure of the chat model is an event. */
export async function* askCollection(
  options: ClientOptions,
  collection: string,
  question: Omit<AskRequestInput, 'stream'>,
  call: StreamOptions = {},
): AsyncGenerator<AnswerEvent> {
  const url = urlOf(options.baseUrl, CHAT_PATH, { params: { name: collection } });
  yield* events<AnswerEvent>(options, url, 'application/json', JSON.stringify(question), call);
}

interface FailureEvent {
  readonly type: 'error';
  readonly code: ErrorCode;
  readonly error: string;
}

async function* events<E extends { readonly type: string }>(
  options: ClientOptions,
  url: string,
  type: string,
  body: NonNullable<RequestInit['body']>,
  { signal }: StreamOptions,
): AsyncGenerator<E | FailureEvent> {
  checkOptions(options);
  const { baseUrl, fetch = globalThis.fetch } = options;
  const headers = { Accept: 'text/event-stream', 'Content-Type': type, ...options.headers };
  const init: RequestInit = { method: 'POST', headers, body, ...(signal === undefined ? {} : { signal }) };
  let last: string | undefined;
  try {
    const response = await fetch(url, init);
    if (!response.ok) throw toError(baseUrl, response.status, parsed(await response.text()));
    for await (const data of eventData(pieces(response))) {
      const event = parsed(data) as E | FailureEvent | undefined;
      if (event === undefined) throw unreachable(baseUrl, 'sent an event that is not JSON');
      last = event.type;
      yield event.type === 'error' ? knownFailure(event as FailureEvent) : event;
    }
  } catch (cause) {
    if (signal?.aborted || cause instanceof DowserError) throw cause;
    throw unreachable(baseUrl, `does not answer (${reasonOf(cause)})`, cause);
  }
  if (last !== 'done' && last !== 'error') throw unreachable(baseUrl, 'broke off before the last event');
}

const knownFailure = (event: FailureEvent): FailureEvent => ({ ...event, code: knownCode(event.code, 500) });

/** Not every browser can loop over a stream. */
async function* pieces({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  try {
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) yield piece.value;
  } finally {
    // A client that stops listening ends the answer.
    await reader?.cancel();
  }
}
