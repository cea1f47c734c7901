import { MEMORY_CALLS } from '../api/calls/memory-calls.ts';
import type { Memories } from '../memories/memories.ts';
import type { CallOptions, Client } from './client.ts';
import { SLOW_CALL } from './deadline.ts';

type AnyCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** The memories of a server, with the methods, answers and errors of local ones. Made from `MEMORY_CALLS`. */
export function remoteMemories(client: Client): Memories {
  const methods = Object.entries(MEMORY_CALLS).map(([method, call]) => {
    const send = client[call.operation] as AnyCall;
    const toRequest = call.toRequest as (...args: readonly unknown[]) => unknown;
    return [method, (...args: readonly unknown[]) => send(toRequest(...args), 'slow' in call ? SLOW_CALL : {})];
  });
  return Object.fromEntries(methods);
}
