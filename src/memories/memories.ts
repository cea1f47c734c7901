import type { AuditReport } from './audit/audit.ts';
import type {
  Forgotten,
  FoundMemories,
  Memory,
  MemoryCounts,
  MemoryPage,
  StoredMemory,
  StoredSession,
  SupersededMemory,
} from './contract/memory-answers.ts';
import type { MemoryGraphAnswer, MemoryGraphRequest } from './contract/memory-graph-schemas.ts';
import type {
  ForgetMemories,
  ListMemories,
  SearchMemories,
  StoreMemory,
  StoreSession,
  SupersedeMemory,
  UpdateMemory,
} from './contract/memory-requests.ts';
import type { StoredMany } from './store/store-many.ts';

/**
 * What an agent has learned. A memory is an entity of type `memory`; this is its life: stored once by its content, found while
 * it is true, superseded but not lost, forgotten on request. REST, MCP, the command line and the library call these functions,
 * and a remote one over HTTP gives the same answers.
 *
 * A memory is named by its content hash, by the first 8 characters of it or more, or by its path.
 */
export interface Memories {
  /** An exact duplicate stores nothing and says so. With `supersedes`, both happen or neither. */
  store(memory: StoreMemory): Promise<StoredMemory>;
  /** A conversation as one memory, found by its turns. */
  storeSession(session: StoreSession): Promise<StoredSession>;
  /** Throws NOT_FOUND, also for what was forgotten. */
  get(hash: string): Promise<Memory>;
  /** Newest first. */
  list(query?: ListMemories): Promise<MemoryPage>;
  search(request: SearchMemories): Promise<FoundMemories>;
  /** New content is a new memory that supersedes the old one. Throws NOT_FOUND. */
  update(hash: string, changes: UpdateMemory): Promise<StoredMemory>;
  /** From now on the first memory is history and the other one is true. Throws NOT_FOUND. */
  supersede(hash: string, by: SupersedeMemory): Promise<SupersededMemory>;
  /** Makes a superseded memory current again, as it was. Of a merged memory: all it was merged from, and forgets it. */
  undoSupersede(hash: string): Promise<SupersededMemory>;
  /** Needs a hash or a filter. What is forgotten is deleted for good after 30 days, or at once with `purge`. */
  forget(filter: ForgetMemories): Promise<Forgotten>;
  counts(): Promise<MemoryCounts>;
  /** A list at once, for imports. At most 1,000. */
  storeMany(memories: readonly unknown[]): Promise<StoredMany>;
  /** How memories relate: what is connected, the way between two, what surrounds one, and what is likely. Changes nothing. */
  graph(request: MemoryGraphRequest): Promise<MemoryGraphAnswer>;
  /** What is wrong with what is stored, and what to do about it. Changes nothing. */
  audit(): Promise<AuditReport>;
}
