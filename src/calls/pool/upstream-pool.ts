import { setTimeout as sleep } from 'node:timers/promises';
import { toDowserError } from '../../model/errors/errors.ts';
import type { CallableServer } from '../../sources/mcp/callable-server.ts';
import { callError } from '../contract/call-errors.ts';
import type { UpstreamStatus } from '../contract/tool-caller.ts';
import { StartPauses } from './start-pauses.ts';
import { Upstream } from './upstream.ts';

export interface PoolLimits {
  /** Instances of one server, and in all. */
  readonly perServer: number;
  readonly total: number;
  /** How long an instance without calls is kept, in milliseconds. 0: for ever. */
  readonly idleMs: number;
  /** How long a call waits for the start of its server. The start goes on. */
  readonly startWaitMs: number;
  /** Calls at once of one instance, and how long others wait. */
  readonly atOnce: number;
  readonly queueMs: number;
  /** To list the tools of a server that has started. */
  readonly listMs: number;
}

export interface Lease {
  readonly upstream: Upstream;
  /** 0 if it ran already. */
  readonly startMs: number;
  readonly queueMs: number;
  release(): void;
}

/**
 * While others wait, an instance is taken from its owner after so long without a call, or after so long since its start, and not
 * sooner than that took. Otherwise each call would start it again.
 */
const QUIET_MS = 100;
const TURN_MS = 1000;
/** When a call is worth another try while its server starts. */
const START_RETRY_S = 5;

/**
 * The instances of all servers. They start with their first call, once for all who wait. An instance of a server that may keep
 * state belongs to one owner; others get their own, within the limits. The one that was used least recently makes room.
 */
export class UpstreamPool {
  readonly #limits: PoolLimits;
  readonly #now: () => number;
  readonly #all = new Set<Upstream>();
  readonly #idle = new Map<Upstream, NodeJS.Timeout>();
  readonly #pauses: StartPauses;
  /** Whether a server spoke the revision without sessions when it was last started. */
  readonly #modern = new Map<string, boolean>();
  /** Ended by `stop`. */
  readonly #stopped = new WeakSet<Upstream>();
  readonly #waiting = new Set<() => void>();
  /** Calls that need an instance of their own and cannot start one yet, with the key of their server, first come first. */
  readonly #queue = new Map<symbol, string>();
  #isClosed = false;

  constructor(limits: PoolLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#pauses = new StartPauses(now);
  }

  /** An instance for one call. Throws STARTING, BUSY, UNAVAILABLE, or why it cannot start. */
  async acquire(server: CallableServer, path: string, owner: string, signal: AbortSignal): Promise<Lease> {
    const began = this.#now();
    const turn = Symbol(path);
    let startMs = 0;
    let startWaitedMs = 0;
    try {
      for (;;) {
        signal.throwIfAborted();
        const upstream = this.#instanceFor(server, path, owner, turn);
        if (upstream !== undefined) this.#queue.delete(turn);
        if (upstream?.state === 'starting') {
          const from = this.#now();
          await this.#waitForStart(upstream, path, signal, this.#limits.startWaitMs - startWaitedMs);
          startWaitedMs += this.#now() - from;
          startMs = upstream.startMs;
          continue;
        }
        if (upstream !== undefined && upstream.inFlight < this.#limits.atOnce) {
          const queueMs = Math.max(0, this.#now() - began - startWaitedMs);
          return { upstream, startMs, queueMs, release: this.#use(upstream) };
        }
        const waited = this.#now() - began - startWaitedMs;
        if (waited >= this.#limits.queueMs) throw busy(path, this.#limits);
        if (upstream === undefined) {
          this.#queue.set(turn, server.key);
          this.#makeRoom(server.key);
        }
        await this.#waitForChange(this.#limits.queueMs - waited, signal);
      }
    } finally {
      this.#queue.delete(turn);
    }
  }

  /** An instance that lost an answer takes no more calls. At an address, other calls under way may still get theirs. */
  async discard(upstream: Upstream): Promise<void> {
    if (upstream.pid !== null || upstream.inFlight === 0) return upstream.end();
    upstream.retire();
  }

  status(): readonly UpstreamStatus[] {
    const running = Array.from(this.#all, (upstream): UpstreamStatus => {
      const { path, state, transport, pid, inFlight, calls } = upstream;
      const shown = state === 'ended' ? 'ending' : state;
      return { path, state: shown, transport, pid, in_flight: inFlight, calls, retry_after: null };
    });
    return [...running, ...this.#pauses.status()];
  }

  async stop(path?: string): Promise<number> {
    const ended = [...this.#all].filter((upstream) => path === undefined || upstream.path === path);
    for (const upstream of ended) this.#stopped.add(upstream);
    await Promise.all(ended.map((upstream) => upstream.end()));
    return ended.length;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }

  /** One that the owner may use, or a new one if there is room. */
  #instanceFor(server: CallableServer, path: string, owner: string, turn: symbol): Upstream | undefined {
    const { key } = server;
    const ofKey = [...this.#all].filter((upstream) => upstream.server.key === key);
    const usable = ofKey.filter(
      (upstream) =>
        (upstream.state === 'ready' || upstream.state === 'starting') &&
        (upstream.owner === null || upstream.owner === owner),
    );
    const found = usable.find(({ state }) => state === 'ready') ?? usable[0];
    if (found !== undefined) return found;
    // The first start tells whether everyone may share it.
    const first = this.#modern.has(key) ? undefined : ofKey.find(({ state }) => state === 'starting');
    if (first !== undefined) return first;
    const { perServer, total } = this.#limits;
    const ofServer = ofKey.length;
    if (this.#isClosed) throw callError('UNAVAILABLE', 'Dowser is about to stop.', 'Call again when it runs.');
    if (ofServer >= perServer || this.#all.size >= total || !this.#isTurnOf(turn, key)) return undefined;
    this.#pauses.check(key, path);
    return this.#start(server, path, owner);
  }

  /** Whether a free place is left for a call behind those that came before it. */
  #isTurnOf(turn: symbol, key: string): boolean {
    let others = 0;
    for (const [earlier, of] of this.#queue) {
      if (earlier === turn) break;
      if (of === key) return false;
      others++;
    }
    return others < this.#limits.total - this.#all.size;
  }

  #start(server: CallableServer, path: string, starter: string): Upstream {
    const { listMs } = this.#limits;
    const owner = this.#modern.get(server.key) === true ? null : starter;
    const onEnd = (ended: Upstream) => {
      clearTimeout(this.#idle.get(ended));
      this.#idle.delete(ended);
      this.#all.delete(ended);
      this.#wake();
    };
    const upstream = new Upstream({ server, path, owner, listMs, now: this.#now(), onEnd });
    this.#all.add(upstream);
    upstream.ready.then(
      () => {
        this.#pauses.succeeded(server.key);
        upstream.since = this.#now();
        this.#modern.set(server.key, upstream.isModern);
        // It may be another version than the last one.
        upstream.owner = upstream.isModern ? null : starter;
        this.#rest(upstream);
        this.#wake();
      },
      (thrown: unknown) => {
        // Only a person can help, and the next call after that must not wait. A start that a person ended did not fail.
        const isByPerson = this.#stopped.has(upstream) || toDowserError(thrown).code === 'FORBIDDEN';
        if (!isByPerson) this.#pauses.failed(server.key, path);
        this.#wake();
      },
    );
    return upstream;
  }

  async #waitForStart(upstream: Upstream, path: string, signal: AbortSignal, startWaitMs: number): Promise<void> {
    const done = new AbortController();
    const until = AbortSignal.any([signal, done.signal]);
    const late = sleep(startWaitMs, 'late' as const, { signal: until, ref: false }).catch(() => 'over' as const);
    try {
      const outcome = await Promise.race([upstream.ready.then(() => 'ready' as const), late]);
      signal.throwIfAborted();
      if (outcome === 'late') throw starting(path, this.#limits.startWaitMs);
    } finally {
      done.abort();
    }
  }

  /** Counts a call. Returns how to end it. */
  #use(upstream: Upstream): () => void {
    clearTimeout(this.#idle.get(upstream));
    this.#idle.delete(upstream);
    upstream.inFlight++;
    upstream.calls++;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      upstream.inFlight--;
      upstream.lastUsed = this.#now();
      if (upstream.state === 'ending' && upstream.inFlight === 0) void upstream.end();
      this.#rest(upstream);
      this.#wake();
    };
  }

  #rest(upstream: Upstream): void {
    const { idleMs } = this.#limits;
    if (upstream.inFlight > 0 || upstream.state !== 'ready' || idleMs === 0) return;
    clearTimeout(this.#idle.get(upstream));
    this.#idle.set(upstream, setTimeout(() => void upstream.end(), idleMs).unref());
  }

  /** Ends the instance that was used least recently and rests, if it is the number of instances that is in the way. */
  #makeRoom(key: string): void {
    const ofServer = [...this.#all].filter((upstream) => upstream.server.key === key);
    const isServerFull = ofServer.length >= this.#limits.perServer;
    if (!isServerFull && this.#all.size < this.#limits.total) return;
    const candidates = isServerFull ? ofServer : [...this.#all];
    // One is on its way out already.
    if (candidates.some(({ state }) => state === 'ending')) return;
    const now = this.#now();
    const [least] = candidates
      .filter((one) => one.state === 'ready' && one.inFlight === 0)
      .filter((one) => now - one.lastUsed >= QUIET_MS || now - one.since >= Math.max(TURN_MS, one.startMs))
      .sort((a, b) => a.lastUsed - b.lastUsed);
    void least?.end();
  }

  async #waitForChange(ms: number, signal: AbortSignal): Promise<void> {
    const done = new AbortController();
    const until = AbortSignal.any([signal, done.signal]);
    let wake = () => {};
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    try {
      // An instance that rests becomes free with time alone.
      await Promise.race([changed, sleep(Math.min(ms, QUIET_MS), undefined, { signal: until }).catch(() => {})]);
    } finally {
      this.#waiting.delete(wake);
      done.abort();
    }
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

const starting = (path: string, waitedMs: number) =>
  callError(
    'STARTING',
    `The server ${path} is still starting after ${Math.round(waitedMs / 1000)} s.`,
    `Call again in ${START_RETRY_S} s: the start goes on.`,
    { retry_after: START_RETRY_S },
  );

const busy = (path: string, { queueMs }: PoolLimits) =>
  callError(
    'BUSY',
    `Every instance of the server ${path} was busy for ${queueMs / 1000} s.`,
    'Call again later, or ask the operator to raise call_per_server or call_total.',
    { retry_after: 1 },
  );
