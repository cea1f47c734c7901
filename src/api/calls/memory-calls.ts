import type { Memories } from '../../memories/memories.ts';
import type { memoryOperations } from '../operations/memory-operations.ts';
import { BODY, type Calls, NOTHING } from './call.ts';

export type MemoryOperation = keyof typeof memoryOperations;

const HASH = {
  toRequest: (content_hash: string) => ({ body: { content_hash } }),
  toArguments: ({ body }: { readonly body: { readonly content_hash: string } }): [string] => [body.content_hash],
};

/** How each method of `Memories` maps to an operation. The handlers of the server and the remote memories are made from it. */
export const MEMORY_CALLS = {
  store: { operation: 'storeMemory', ...BODY },
  storeSession: { operation: 'storeSession', ...BODY },
  get: { operation: 'getMemory', ...HASH },
  list: { operation: 'listMemories', toRequest: (body = {}) => ({ body }), toArguments: ({ body }) => [body] },
  search: { operation: 'searchMemories', ...BODY },
  update: {
    operation: 'updateMemory',
    toRequest: (content_hash, changes) => ({ body: { content_hash, changes } }),
    toArguments: ({ body: { content_hash, changes } }) => [content_hash, changes],
  },
  supersede: {
    operation: 'supersedeMemory',
    toRequest: (content_hash, by) => ({ body: { content_hash, ...by } }),
    toArguments: ({ body: { content_hash, ...by } }) => [content_hash, by],
  },
  undoSupersede: { operation: 'undoSupersede', ...HASH },
  forget: { operation: 'forgetMemories', ...BODY },
  counts: { operation: 'countMemories', ...NOTHING },
  storeMany: {
    operation: 'storeMemories',
    toRequest: (memories) => ({ body: { memories } }),
    toArguments: ({ body }) => [body.memories],
    slow: true,
  },
  graph: { operation: 'memoryGraph', ...BODY },
  audit: { operation: 'auditMemories', ...NOTHING, slow: true },
} as const satisfies Calls<Memories, MemoryOperation>;
