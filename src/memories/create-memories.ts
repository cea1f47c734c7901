import { type Caller, UNRESTRICTED } from '../model/caller/caller.ts';
import type { CallerOptions, LocalRegistry, ScopedRegistry } from '../registry/contract/registry.ts';
import { auditStore } from './audit/audit-store.ts';
import { toMemory } from './contract/to-memory.ts';
import { findMemory } from './find/find-memory.ts';
import { countMemories, listMemories } from './find/list-memories.ts';
import { searchMemories } from './find/search-memories.ts';
import { memoryGraph } from './graph/memory-graph.ts';
import type { Memories } from './memories.ts';
import { type FollowOptions, type MemoryEvent, MemoryEvents } from './parts/memory-events.ts';
import { DEFAULT_MEMORY_SETTINGS, type MemoryParts, type MemorySettings } from './parts/memory-parts.ts';
import { RecallLog } from './parts/recall-log.ts';
import { supersedeMemory, undoSupersede, updateMemory } from './store/change-memory.ts';
import { forgetMemories, purgeOld } from './store/forget-memories.ts';
import { storeMany } from './store/store-many.ts';
import { storeMemory } from './store/store-memory.ts';
import { storeSession } from './store/store-session.ts';

export interface MemoryOptions {
  /** Default: the clock of this machine. */
  readonly now?: () => Date;
  readonly settings?: Partial<MemorySettings>;
}

/** The memories of a registry in this process. */
export interface MemoryService extends Memories {
  /** The same for one caller: see `LocalRegistry.as`. */
  as(caller: Caller, options?: CallerOptions): Memories;
  /** What happens to memories from now on, as far as the caller may read it: see `memory-events.ts`. */
  follow(caller: Caller, options?: FollowOptions): AsyncIterableIterator<MemoryEvent>;
  /** Deletes for good what was forgotten 30 days ago or earlier. Forgetting does it too; a server also does it every day. */
  purgeForgotten(): Promise<void>;
  /** Stores how often memories were recalled. Call it before the registry is closed. */
  flush(): Promise<void>;
}

export function createMemories(registry: LocalRegistry, options: MemoryOptions = {}): MemoryService {
  const now = options.now ?? (() => new Date());
  const events = new MemoryEvents(now);
  const shared = {
    unrestricted: registry,
    now,
    events,
    recalls: new RecallLog(registry),
    settings: { ...DEFAULT_MEMORY_SETTINGS, ...options.settings },
  };
  const over = (scoped: ScopedRegistry, caller: Caller): Memories =>
    memoriesOver({ ...shared, registry: scoped, caller });
  return {
    ...over(registry, UNRESTRICTED),
    as: (caller, options = {}) => over(registry.as(caller, options), caller),
    follow: (caller, options) => events.follow(caller, options),
    purgeForgotten: () => purgeOld(shared),
    flush: () => shared.recalls.flush(),
  };
}

function memoriesOver(parts: MemoryParts): Memories {
  return {
    store: (memory) => storeMemory(parts, memory),
    storeSession: (session) => storeSession(parts, session),
    get: async (hash) => toMemory(await findMemory(parts, hash)),
    list: (query) => listMemories(parts, query),
    search: (request) => searchMemories(parts, request),
    update: (hash, changes) => updateMemory(parts, hash, changes),
    supersede: (hash, by) => supersedeMemory(parts, hash, by),
    undoSupersede: (hash) => undoSupersede(parts, hash),
    forget: (filter) => forgetMemories(parts, filter),
    counts: () => countMemories(parts),
    storeMany: (memories) => storeMany(parts, memories),
    graph: (request) => memoryGraph(parts, request),
    audit: () => auditStore(parts),
  };
}
