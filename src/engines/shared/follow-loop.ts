import type { Horizon, SharedRecord } from '../shared-record.ts';
import type { Follower } from './follower.ts';

/** Also without a notice: those may get lost. */
const POLL_MS = 1_000;
/** Polls in the time that a node may be behind: it stays ready between them. */
const POLLS_OF_READINESS = 3;
/** Writes that follow each other closely are read together: one costs a node as much as many. */
const GATHER_MS = 20;
/** The waits after failures. */
const RETRY_MS = [100, 200, 500, 1_000, 2_000] as const;

/** The duty of embedding with a model, and of what follows from it. */
export const embeddingDuty = (embedder: string): string => `embed ${embedder}`;

/** The duty of writing to the server that searches the vectors. */
export const VECTOR_DUTY = 'vectors';

/** The duty of forgetting what was deleted long ago. */
const PURGE_DUTY = 'purge';
const PURGE_EVERY_MS = 3_600_000;
/** A node that was stopped for a week continues from its data folder. The tips of a million writes take about 100 MB. */
export const HORIZON: Horizon = { ageMs: 7 * 86_400_000, writes: 1_000_000 };

/** Follows the record until it is closed, and takes the leases that this node wants. It never gives up. */
export class FollowLoop {
  readonly #record: SharedRecord;
  readonly #follower: Follower;
  readonly #onCaughtUp: () => Promise<void>;
  readonly #pollMs: number;
  readonly #wanted = new Set<string>();
  readonly #held = new Set<string>();
  #isClosed = false;
  #hasNews = false;
  /** Somebody waits for a write. */
  #isUrgent = false;
  #wake: (() => void) | null = null;
  #purgedAt = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;

  /** `onCaughtUp` is called after each time everything was read. */
  constructor(record: SharedRecord, follower: Follower, onCaughtUp: () => Promise<void>, maxBehindMs: number) {
    this.#pollMs = Math.min(POLL_MS, maxBehindMs / POLLS_OF_READINESS);
    this.#record = record;
    this.#follower = follower;
    this.#onCaughtUp = onCaughtUp;
  }

  /** Makes one attempt before it resolves. Never throws: see `status` of the follower. */
  async start(): Promise<void> {
    this.#record.follow(() => this.news());
    const isDone = await this.#pass();
    this.#running = this.#run(isDone ? 0 : 1);
  }

  leads(duty: string): boolean {
    if (!this.#wanted.has(duty)) {
      this.#wanted.add(duty);
      this.news();
    }
    // The next pass takes it again and says so, unless another node has it by then.
    if (!this.#record.holds(duty)) this.#held.delete(duty);
    return this.#held.has(duty);
  }

  news(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  /** Reads what is new at once. */
  hurry(): void {
    this.#isUrgent = true;
    this.news();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(failuresBefore: number): Promise<void> {
    let failures = failuresBefore;
    while (!this.#isClosed) {
      // A record that fails is asked no more often because of news.
      if (failures > 0) await this.#sleep(RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!, () => false);
      else {
        const gathered = performance.now() + GATHER_MS;
        await this.#sleep(this.#pollMs, () => this.#hasNews);
        await this.#sleep(gathered - performance.now(), () => this.#isUrgent);
      }
      if (this.#isClosed) return;
      failures = (await this.#pass()) ? 0 : failures + 1;
    }
  }

  async #pass(): Promise<boolean> {
    try {
      this.#hasNews = false;
      this.#isUrgent = false;
      await this.#follower.catchUp();
      await this.#onCaughtUp();
      for (const duty of this.#wanted) {
        const isHeld = await this.#record.lease(duty);
        if (isHeld === this.#held.has(duty)) continue;
        if (isHeld) this.#held.add(duty);
        else this.#held.delete(duty);
        this.#follower.notify();
      }
      await this.#purge();
      return true;
    } catch {
      // A lease ends with the connection. Why it failed is in the status of the follower.
      this.#held.clear();
      return false;
    }
  }

  async #purge(): Promise<void> {
    const isDue = performance.now() - this.#purgedAt > PURGE_EVERY_MS;
    if (!isDue || !this.leads(PURGE_DUTY)) return;
    await this.#record.purge(HORIZON);
    this.#purgedAt = performance.now();
  }

  /** Until then, or until it is woken and `isOver`. */
  #sleep(ms: number, isOver: () => boolean): Promise<void> {
    if (ms <= 0 || isOver() || this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#wake = null;
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = () => {
        if (isOver() || this.#isClosed) done();
      };
    });
  }
}
