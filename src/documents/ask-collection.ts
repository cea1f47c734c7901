import { parseWith } from '../model/parse/parse.ts';
import { ask } from './ask/ask.ts';
import type { AskEvent } from './ask/ask-event.ts';
import { type AskRequest, type AskRequestInput, askRequestSchema } from './ask/ask-request.ts';
import type { ChatModel } from './ask/chat-model.ts';
import type { FoundChunk } from './contract/document-answers.ts';
import type { Documents } from './contract/documents.ts';

export interface AskCollectionParts {
  readonly documents: Pick<Documents, 'search' | 'collection'>;
  /** Null where no chat endpoint is set. */
  readonly chat: ChatModel | null;
}

/**
 * Below this confidence of the best chunk, nothing in the collection fits the question, and no model is asked. Measured on the
 * PDFs of `test/golden/pdf`: 63 of 64 questions about them are above it, 21 of 24 about other things below.
 */
export const MIN_FITTING_CONFIDENCE = 0.08;

export const parseQuestion = (input: AskRequestInput): AskRequest => parseWith(askRequestSchema, input, 'question');

/** Asks one collection; null asks all. Throws NOT_FOUND for an unknown one before the first event. */
export async function askCollection(
  { documents, chat }: AskCollectionParts,
  name: string | null,
  request: AskRequest,
  signal?: AbortSignal,
): Promise<AsyncGenerator<AskEvent<FoundChunk>>> {
  const collections = name === null ? undefined : [(await documents.collection(name)).name];
  const search = async (query: string, limit: number) => {
    const { results, warnings } = await documents.search({ query, limit, ...(collections && { collections }) });
    const fits = (results[0]?.confidence ?? 0) >= MIN_FITTING_CONFIDENCE;
    return { results: fits ? results : [], warnings };
  };
  return ask({ search, chat }, request, signal);
}
