import type { Handlers } from '../../api/contract.ts';
import { MEMORY_CALLS, type MemoryOperation } from '../../api/memory-calls.ts';
import type { Memories } from '../../memories/memories.ts';

/** A handler for every operation of `MEMORY_CALLS`. */
export function memoryHandlers(memories: Memories): Pick<Handlers, MemoryOperation> {
  const handlers = Object.entries(MEMORY_CALLS).map(([method, call]) => {
    const ask = memories[method as keyof Memories] as (...args: readonly unknown[]) => Promise<unknown>;
    const toArguments = call.toArguments as (input: unknown) => readonly unknown[];
    return [call.operation, async (input: unknown) => ({ status: 200, body: await ask(...toArguments(input)) })];
  });
  return Object.fromEntries(handlers);
}
