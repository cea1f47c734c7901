import { type AskAnswer, wholeAnswer } from '../../documents/ask/ask.ts';
import type { AskEvent } from '../../documents/ask/ask-event.ts';
import { askCollection, parseQuestion } from '../../documents/ask-collection.ts';
import type { FoundChunk } from '../../documents/contract/document-answers.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { type CommandRun, print, settingsFor, wrongOption } from '../context/context.ts';
import { toLimit } from '../context/filter-options.ts';
import { answerLines } from '../terminal/document-lines.ts';

/** Answers a question with the chat model of the settings, in this process: the key stays here. */
export async function answerFromDocuments(
  run: CommandRun,
  documents: Documents,
  question: string,
): Promise<AskAnswer<FoundChunk>> {
  const { collection, limit } = run.options;
  const [name = null, second] = (collection as readonly string[] | undefined) ?? [];
  if (second !== undefined) throw wrongOption('collection', second, 'one collection, or none for all');
  const { openChat } = await import('../../open-documents.ts');
  const chat = await openChat(settingsFor(run).settings);
  const request = parseQuestion({ question, top_k: toLimit(limit, 10), stream: false });
  const events = await askCollection({ documents, chat }, name, request, run.signal);
  const far: SoFar = { answer: '', sources: [] };
  try {
    return await wholeAnswer(noted(events, far));
  } catch (thrown) {
    // The model failed. The sources were found, and the start of an answer may help.
    if (far.sources.length > 0 && run.options.json !== true) {
      print(run, null, () => `${answerLines(far, run.out).join('\n')}\n`);
    }
    throw thrown;
  }
}

type SoFar = { -readonly [K in 'answer' | 'sources']: AskAnswer<FoundChunk>[K] };

async function* noted(events: AsyncIterable<AskEvent<FoundChunk>>, far: SoFar): AsyncGenerator<AskEvent<FoundChunk>> {
  for await (const event of events) {
    if (event.type === 'sources') far.sources = event.sources;
    if (event.type === 'delta') far.answer += event.text;
    yield event;
  }
}
