import { randomUUID } from 'node:crypto';
import { DowserError } from '../../model/errors/errors.ts';
import type { AskDone, AskEvent, NumberedSource, SourceChunk } from './ask-event.ts';
import type { AskRequest } from './ask-request.ts';
import type { ChatModel } from './chat-model.ts';
import { citedSources, promptFor } from './prompt.ts';

/** What a search for the question finds. */
export interface FoundSources<S extends SourceChunk> {
  /** Empty where nothing answers the question. */
  readonly results: readonly S[];
  readonly warnings: readonly string[];
}

export interface AskParts<S extends SourceChunk> {
  search(question: string, limit: number): Promise<FoundSources<S>>;
  /** Null where no chat endpoint is set. */
  readonly chat: ChatModel | null;
}

/** One answer in place of events. */
export interface AskAnswer<S extends SourceChunk> extends Omit<AskDone, 'type'> {
  readonly answer: string;
  readonly sources: readonly NumberedSource<S>[];
  readonly warnings: readonly string[];
}

/** Longer answers are cut: a model that repeats itself does not stop. */
const MAX_ANSWER_CHARS = 100_000;

export const NOTHING_FITS = 'Nothing in this collection answers the question. No model was asked.';
export const NO_CHAT_MODEL =
  'No chat model is set up, so there are only sources. Set DOWSER_CHAT_URL and DOWSER_CHAT_MODEL for an answer in words.';
const MODEL_IGNORED = "'model' is ignored: the server uses the model of its settings.";

/**
 * Answers a question from a collection. The sources come before the model is asked, so a client can show them meanwhile.
 * Throws what the search throws; a failure of the model is an event.
 */
export async function* ask<S extends SourceChunk>(
  { search, chat }: AskParts<S>,
  request: AskRequest,
  signal?: AbortSignal,
): AsyncGenerator<AskEvent<S>> {
  const { results, warnings } = await search(request.question, request.top_k);
  const sources = results.map((result, i) => ({ ...result, number: i + 1 }));
  yield { type: 'sources', sources, warnings: request.model === undefined ? warnings : [...warnings, MODEL_IGNORED] };
  const conversation_id = request.conversation_id ?? randomUUID();
  const unasked = sources.length === 0 ? NOTHING_FITS : chat === null ? NO_CHAT_MODEL : null;
  if (unasked !== null || chat === null) {
    yield { type: 'delta', text: unasked ?? NO_CHAT_MODEL };
    yield { type: 'done', conversation_id, empty_response: false, model: null, cited: [] };
    return;
  }
  let answer = '';
  try {
    for await (const text of chat.answer(promptFor(request, sources), signal)) {
      answer += text;
      yield { type: 'delta', text };
      if (answer.length > MAX_ANSWER_CHARS) break;
    }
  } catch (error) {
    signal?.throwIfAborted();
    yield errorEvent(error);
    return;
  }
  const cited = citedSources(answer, sources.length);
  yield { type: 'done', conversation_id, empty_response: answer.trim() === '', model: chat.name, cited };
}

/** All events as one answer. Throws what an `error` event says. */
export async function wholeAnswer<S extends SourceChunk>(events: AsyncIterable<AskEvent<S>>): Promise<AskAnswer<S>> {
  let answer = '';
  let found: { sources: readonly NumberedSource<S>[]; warnings: readonly string[] } = { sources: [], warnings: [] };
  for await (const event of events) {
    if (event.type === 'sources') found = event;
    else if (event.type === 'delta') answer += event.text;
    else if (event.type === 'error') throw new DowserError(event.code, event.error, { hint: event.hint });
    else {
      const { type: _, ...done } = event;
      return { answer, sources: found.sources, warnings: found.warnings, ...done };
    }
  }
  throw new DowserError('INTERNAL', 'The answer ended without its last event.');
}

function errorEvent<S extends SourceChunk>(error: unknown): AskEvent<S> {
  if (!(error instanceof DowserError)) throw error;
  const event = { type: 'error', error: error.message, code: error.code } as const;
  return error.hint === undefined ? event : { ...event, hint: error.hint };
}
