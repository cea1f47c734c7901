import type { Memories } from '../../memories/memories.ts';
import { foundText } from './service-answers.ts';
import { limitOf, needed, type ServiceArguments } from './service-arguments.ts';

const TYPE = 'mistake';
const COUNT = 'failure_count';

/** A note is a memory. The same note again raises its count. */
export async function addMistakeNote(memories: Memories, args: ServiceArguments): Promise<string> {
  const content = [
    `Error: ${needed(args, 'error_pattern')}`,
    `Context: ${needed(args, 'context_signature')}`,
    `Wrong: ${needed(args, 'incorrect_action')}`,
    `Right: ${needed(args, 'correct_action')}`,
  ].join('\n');
  const stored = await memories.store({ content, memory_type: TYPE, count_as: COUNT });
  const said = stored.duplicate ? `Noted again (hash: ${stored.content_hash})` : stored.message;
  return `${said}, ${COUNT}: ${stored.memory.metadata[COUNT]}`;
}

export async function searchMistakeNotes(memories: Memories, args: ServiceArguments): Promise<string> {
  const limit = Number(limitOf(args, 5));
  return foundText(await memories.search({ query: needed(args, 'query'), memory_type: TYPE, limit }));
}
