import { type AskAnswer, wholeAnswer } from '../../documents/ask/ask.ts';
import { askCollection, parseQuestion } from '../../documents/ask-collection.ts';
import type { FoundChunk } from '../../documents/document-answers.ts';
import type { Documents } from '../../documents/documents.ts';
import { type CommandRun, settingsFor, wrongOption } from '../context.ts';
import { toLimit } from '../filter-options.ts';

/** Answers a question with the chat model of the settings, in this process: the key stays here. */
export async function askDocuments(
  run: CommandRun,
  documents: Documents,
  question: string,
): Promise<AskAnswer<FoundChunk>> {
  const { collection, limit } = run.options;
  const [name = null, second] = (collection as readonly string[] | undefined) ?? [];
  if (second !== undefined) throw wrongOption('collection', second, 'one collection, or none for all');
  const { openChat } = await import('../../open.ts');
  const chat = await openChat(settingsFor(run).settings);
  const request = parseQuestion({ question, top_k: toLimit(limit, 10), stream: false });
  return wholeAnswer(await askCollection({ documents, chat }, name, request, run.signal));
}
