import type { Caller } from '../../model/caller/caller.ts';
import { CERTAINTY_DAYS } from '../../model/query/certainty.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import type { FUSIONS } from '../contract/memory-requests.ts';
import type { MemoryEvents } from './memory-events.ts';
import type { RecallLog } from './recall-log.ts';

/** Defaults of searches, from the settings. */
export interface MemorySettings {
  /** Whether `hybrid` searches use both legs. If not, they are semantic. */
  readonly hybrid: boolean;
  /** Undefined: the ranking chooses for each query. */
  readonly keywordWeight: number | undefined;
  readonly semanticWeight: number | undefined;
  readonly fusion: (typeof FUSIONS)[number];
  /** In how many days the certainty of a memory halves. */
  readonly certaintyDays: number;
  /** Who may read a memory that a caller with a name stores without a namespace. */
  readonly readers: 'owner' | 'everyone';
}

export const DEFAULT_MEMORY_SETTINGS: MemorySettings = {
  hybrid: true,
  keywordWeight: undefined,
  semanticWeight: undefined,
  fusion: 'weighted_average',
  certaintyDays: CERTAINTY_DAYS,
  readers: 'owner',
};

/** What every function of the service needs. */
export interface MemoryParts {
  /** The registry of the caller. */
  readonly registry: ScopedRegistry;
  /** The registry of all callers, for upkeep that no caller asks for. */
  readonly unrestricted: ScopedRegistry;
  readonly now: () => Date;
  readonly recalls: RecallLog;
  /** Who asks. */
  readonly caller: Caller;
  readonly events: MemoryEvents;
  readonly settings: MemorySettings;
}
