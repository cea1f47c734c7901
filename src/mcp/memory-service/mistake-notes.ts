import type { Memories } from '../../memories/memories.ts';
import { foundText } from './service-answers.ts';
import { limitOf, needed, type ServiceArguments } from './service-arguments.ts';

const TYPE = 'mistake';

let last: Promise<unknown> = Promise.resolve();

/** A note is a memory. The same note again raises its count. One note at a time: a count is read, then written. */
export function addMistakeNote(memories: Memories, args: ServiceArguments): Promise<string> {
  const added = last.then(() => addOne(memories, args));
  last = added.catch(() => undefined);
  return added;
}

async function addOne(memories: Memories, args: ServiceArguments): Promise<string> {
  const content = [
    `Error: ${needed(args, 'error_pattern')}`,
    `Context: ${needed(args, 'context_signature')}`,
    `Wrong: ${needed(args, 'incorrect_action')}`,
    `Right: ${needed(args, 'correct_action')}`,
  ].join('\n');
  const stored = await memories.store({ content, memory_type: TYPE, metadata: { failure_count: 1 } });
  if (!stored.duplicate) return `${stored.message}, failure_count: 1`;
  const before = Number(stored.memory.metadata.failure_count);
  const failure_count = (Number.isFinite(before) ? before : 1) + 1;
  await memories.update(stored.content_hash, { metadata: { failure_count } });
  return `Noted again (hash: ${stored.content_hash}), failure_count: ${failure_count}`;
}

export async function searchMistakeNotes(memories: Memories, args: ServiceArguments): Promise<string> {
  const limit = Number(limitOf(args, 5));
  return foundText(await memories.search({ query: needed(args, 'query'), memory_type: TYPE, limit }));
}
