import { turnLine } from '../../model/entity-types/memory.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { contentHash } from '../../registry/write/memory-hash.ts';
import type { StoredSession } from '../contract/memory-answers.ts';
import { type StoreSession, storeSessionSchema } from '../contract/memory-requests.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { storeMemory } from './store-memory.ts';

const SESSION_ID_CHARS = 16;

/** Stores a conversation. The same turns again are the same memory. */
export async function storeSession(parts: MemoryParts, input: StoreSession): Promise<StoredSession> {
  const { turns, session_id, tags = [], ...about } = parseWith(storeSessionSchema, input, 'session');
  const content = turns.map(turnLine).join('\n');
  const id = session_id ?? contentHash(content).slice(0, SESSION_ID_CHARS);
  const stored = await storeMemory(
    parts,
    {
      ...about,
      content,
      tags: [...tags, `session:${id}`],
      memory_type: about.memory_type ?? 'session',
      conversation_id: about.conversation_id ?? id,
    },
    () => ({ turns }),
  );
  return {
    success: stored.success,
    message: `${stored.success ? 'Stored' : 'Already stored:'} session ${id} with ${turns.length} turns (hash: ${stored.content_hash})`,
    session_id: id,
    content_hash: stored.content_hash,
    turn_count: turns.length,
    memory: stored.memory,
  };
}
