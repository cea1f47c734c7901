import type { Memories } from '../memories/memories.ts';

type Writes = 'store' | 'storeSession' | 'update' | 'supersede' | 'undoSupersede' | 'forget' | 'storeMany';

/** The memories for a request that may only read. A write throws what `refuse` throws. */
export function readOnlyMemories(memories: Memories, refuse: () => never): Memories {
  const refused = async () => refuse();
  const writes: Pick<Memories, Writes> = {
    store: refused,
    storeSession: refused,
    update: refused,
    supersede: refused,
    undoSupersede: refused,
    forget: refused,
    storeMany: refused,
  };
  const { get, list, search, counts, audit } = memories;
  return { get, list, search, counts, audit, ...writes };
}
