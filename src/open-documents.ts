import type { Settings } from './config.ts';
import type { AskEvent } from './documents/ask/ask-event.ts';
import type { AskRequestInput } from './documents/ask/ask-request.ts';
import type { ChatModel } from './documents/ask/chat-model.ts';
import type { FoundChunk } from './documents/contract/document-answers.ts';
import type { Documents } from './documents/contract/documents.ts';
import type { DocumentService } from './documents/create-documents.ts';
import type { Uploaded } from './documents/upload-file.ts';
import { DowserError } from './model/errors/errors.ts';
import type { LocalRegistry } from './registry/contract/registry.ts';

/** The document collections of a registry. */
export async function openDocuments(registry: LocalRegistry): Promise<DocumentService> {
  const { createDocuments } = await import('./documents/create-documents.ts');
  return createDocuments(registry);
}

/** Whom to ask, and what. */
export interface AskOptions {
  /** The collection to ask. Default: all. */
  readonly collection?: string;
  /** The model that answers. Default null: only the sources come. */
  readonly chat?: ChatModel | null;
  readonly signal?: AbortSignal;
}

/**
 * Answers a question from documents, event by event: the sources, the answer in parts, and the end. If no source fits the question,
 * the model is not asked.
 *
 * ```js
 * for await (const event of askDocuments(documents, { question: 'How long is the warranty?' }, { chat })) {
 *   if (event.type === 'delta') process.stdout.write(event.text);
 * }
 * ```
 */
export async function* askDocuments(
  documents: Pick<Documents, 'search' | 'collection'>,
  question: AskRequestInput,
  { collection, chat = null, signal }: AskOptions = {},
): AsyncGenerator<AskEvent<FoundChunk>> {
  const { askCollection, parseQuestion } = await import('./documents/ask-collection.ts');
  yield* await askCollection({ documents, chat }, collection ?? null, parseQuestion(question), signal);
}

/** The chat model of the settings; null without one. */
export async function openChat(
  settings: Pick<Settings, 'chat_url' | 'chat_model' | 'chat_key' | 'chat_timeout_ms'>,
): Promise<ChatModel | null> {
  const { chat_url: url, chat_model: model, chat_key: key, chat_timeout_ms: timeoutMs } = settings;
  if (url === undefined) return null;
  if (model === undefined) {
    throw new DowserError('INVALID_SETTING', "'chat_url' is set without 'chat_model'.", {
      field: 'chat_model',
      hint: 'Name the model in DOWSER_CHAT_MODEL.',
    });
  }
  const { openOpenAiChat } = await import('./documents/ask/openai-chat.ts');
  return openOpenAiChat({ url, model, key, timeoutMs });
}

/** A file for a collection. Its format is recognized by its name and its bytes. */
export interface DocumentFile {
  /** The name in the collection, such as `guides/setup.md`. A file of the same path is replaced. */
  readonly path: string;
  readonly content: Uint8Array | string;
}

/** Reads a file in a process of its own, and stores its passages. Throws INVALID_FILE for one that cannot be read. */
export async function addFile(documents: Documents, collection: string, file: DocumentFile): Promise<Uploaded> {
  const [{ lastStep, uploadFile }, { openDocumentReader }] = await Promise.all([
    import('./documents/upload-file.ts'),
    import('./documents/read/open-document-reader.ts'),
  ]);
  const { path, content } = file;
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const reader = openDocumentReader();
  try {
    return await lastStep(uploadFile({ documents, reader, now: () => new Date() }, collection, { path, bytes }));
  } finally {
    await reader.close();
  }
}
