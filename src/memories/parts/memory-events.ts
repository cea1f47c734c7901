import { type Caller, callerKey } from '../../model/caller/caller.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { readerKeys } from '../../model/query/filter.ts';
import type { MemoryEntity } from '../contract/to-memory.ts';

/** A follower that does not read loses the oldest events. */
const MAX_WAITING = 1000;

type Next<E> = (result: IteratorResult<E, undefined>) => void;

/** Events that wait to be read, in order. Unlike a generator, it ends at once, also while its reader waits. */
export class EventQueue<E> implements AsyncIterableIterator<E, undefined> {
  readonly #waiting: E[] = [];
  readonly #readers: Next<E>[] = [];
  readonly #onEnd: () => void;
  #isDone = false;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(event: E): void {
    if (this.#isDone) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) reader({ done: false, value: event });
    else if (this.#waiting.push(event) > MAX_WAITING) this.#waiting.shift();
  }

  async next(): Promise<IteratorResult<E, undefined>> {
    const [event] = this.#waiting.splice(0, 1);
    if (event !== undefined) return { done: false, value: event };
    if (this.#isDone) return { done: true, value: undefined };
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  async return(): Promise<IteratorResult<E, undefined>> {
    if (!this.#isDone) {
      this.#isDone = true;
      this.#onEnd();
    }
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** What happened, with the names and fields that clients of the memory service know. */
export interface MemoryEvent {
  readonly type: 'memory_stored' | 'memory_deleted' | 'search_completed' | 'heartbeat';
  readonly event_type: MemoryEvent['type'];
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

/** Each follower holds a connection open. */
const MAX_FOLLOWERS = 100;
/** So that no caller takes the place of all others. */
const MAX_FOLLOWERS_PER_CALLER = 5;
/** More often than proxies close a connection without traffic. */
const HEARTBEAT_MS = 30_000;
const PREVIEW_CHARS = 200;

export interface FollowOptions {
  /** Whether all unrestricted callers are one person, as on a server that only its own machine can reach. Default: no. */
  readonly isSoleOwner?: boolean;
  /** Whose followers are counted together: 5 may follow, and any number of a sole owner. Default: those of the caller. */
  readonly who?: string;
}

interface Follower extends FollowOptions {
  readonly caller: Caller;
  readonly who: string;
  readonly queue: EventQueue<MemoryEvent>;
}

/** Tells followers what happens to memories, each only what it may read, and of searches only its own. */
export class MemoryEvents {
  readonly #now: () => Date;
  readonly #heartbeatMs: number;
  readonly #followers = new Set<Follower>();

  constructor(now: () => Date, heartbeatMs = HEARTBEAT_MS) {
    this.#now = now;
    this.#heartbeatMs = heartbeatMs;
  }

  /** Begins and goes on with heartbeats, until it is returned. Throws TOO_MANY_REQUESTS or OVERLOADED if too many follow. */
  follow(caller: Caller, options: FollowOptions = {}): AsyncIterableIterator<MemoryEvent> {
    if (this.#followers.size >= MAX_FOLLOWERS) {
      throw new DowserError('OVERLOADED', `${MAX_FOLLOWERS} clients follow the memories already.`, {
        hint: 'Close one of them, or ask for the newest memories from time to time.',
      });
    }
    const { who = callerKey(caller), isSoleOwner = false } = options;
    if (!(isSoleOwner && isUnrestricted(caller))) this.#checkShare(who);
    const beat = () => this.#send(follower, 'heartbeat', { server_status: 'healthy' });
    const timer = setInterval(beat, this.#heartbeatMs);
    timer.unref();
    const queue = new EventQueue<MemoryEvent>(() => {
      clearInterval(timer);
      this.#followers.delete(follower);
    });
    const follower: Follower = { isSoleOwner, who, caller, queue };
    this.#followers.add(follower);
    beat();
    return queue;
  }

  #checkShare(who: string): void {
    const own = [...this.#followers].filter((follower) => follower.who === who);
    if (own.length < MAX_FOLLOWERS_PER_CALLER) return;
    throw new DowserError('TOO_MANY_REQUESTS', `You follow the memories ${own.length} times already.`, {
      hint: 'Close one of the streams first.',
      details: { max: MAX_FOLLOWERS_PER_CALLER },
    });
  }

  /** Whether anybody would be told. */
  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  stored(memories: readonly MemoryEntity[]): void {
    for (const memory of memories) {
      const { content, content_hash, tags, memory_type = null } = memory;
      this.#tell('memory_stored', memory, {
        content_hash,
        content: content.slice(0, PREVIEW_CHARS),
        tags,
        memory_type,
      });
    }
  }

  deleted(memories: readonly MemoryEntity[]): void {
    for (const memory of memories) this.#tell('memory_deleted', memory, { content_hash: memory.content_hash });
  }

  /** A query is visible to its own caller only. */
  searched(by: Caller, search: { readonly query: string; readonly search_type: string; readonly count: number }): void {
    const { query, search_type, count } = search;
    for (const follower of this.#followers) {
      if (!isSamePerson(follower, by)) continue;
      this.#send(follower, 'search_completed', { query, search_type, results_count: count });
    }
  }

  #tell(type: MemoryEvent['type'], memory: MemoryEntity, fields: Record<string, unknown>): void {
    if (!this.isFollowed) return;
    const keys = readerKeys(memory);
    for (const follower of this.#followers) {
      const { readers } = follower.caller;
      if (readers === null || readers.some((key) => keys.includes(key))) this.#send(follower, type, fields);
    }
  }

  #send({ queue }: Follower, type: MemoryEvent['type'], fields: Record<string, unknown>): void {
    // The guides of the memory service read `event_type`.
    queue.push({ type, event_type: type, timestamp: this.#now().toISOString(), ...fields });
  }
}

/** Callers without a name may be different people, also if they have the same rights. */
function isSamePerson({ caller, isSoleOwner = false }: Follower, by: Caller): boolean {
  if (caller.name !== undefined) return caller.name === by.name;
  return isSoleOwner && isUnrestricted(caller) && isUnrestricted(by);
}

const isUnrestricted = ({ readers, name, scopes }: Caller): boolean =>
  readers === null && name === undefined && scopes === undefined;
