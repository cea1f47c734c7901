import type { Follower } from './follower.ts';
import type { SharedRecord } from './shared-record.ts';

/** Also without a notice: those may get lost. */
const POLL_MS = 1_000;
/** The waits after failures. */
const RETRY_MS = [100, 200, 500, 1_000, 2_000, 5_000] as const;

/** The duty of embedding with a model, and of what follows from it. */
export const embeddingDuty = (embedder: string): string => `embed ${embedder}`;

/** The duty of writing to the server that searches the vectors. */
export const VECTOR_DUTY = 'vectors';

/** Follows the record until it is closed, and takes the leases that this node wants. It never gives up. */
export class FollowLoop {
  readonly #record: SharedRecord;
  readonly #follower: Follower;
  readonly #onCaughtUp: () => Promise<void>;
  readonly #wanted = new Set<string>();
  readonly #held = new Set<string>();
  #isClosed = false;
  #hasNews = false;
  #wake: (() => void) | null = null;
  #running: Promise<void> | null = null;

  /** `onCaughtUp` is called after each time everything was read. */
  constructor(record: SharedRecord, follower: Follower, onCaughtUp: () => Promise<void>) {
    this.#record = record;
    this.#follower = follower;
    this.#onCaughtUp = onCaughtUp;
  }

  /** Makes one attempt before it resolves. Never throws: see `status` of the follower. */
  async start(): Promise<void> {
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

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake?.();
    await this.#running;
  }

  async #run(failuresBefore: number): Promise<void> {
    let failures = failuresBefore;
    while (!this.#isClosed) {
      await this.#wait(failures === 0 ? POLL_MS : RETRY_MS[Math.min(failures, RETRY_MS.length) - 1]!, failures === 0);
      if (this.#isClosed) return;
      failures = (await this.#pass()) ? 0 : failures + 1;
    }
  }

  async #pass(): Promise<boolean> {
    try {
      this.#hasNews = false;
      await this.#follower.catchUp();
      await this.#onCaughtUp();
      await this.#record.follow(() => this.news());
      for (const duty of this.#wanted) {
        const isHeld = await this.#record.lease(duty);
        if (isHeld === this.#held.has(duty)) continue;
        if (isHeld) this.#held.add(duty);
        else this.#held.delete(duty);
        this.#follower.notify();
      }
      return true;
    } catch {
      // A lease ends with the connection. Why it failed is in the status of the follower.
      this.#held.clear();
      return false;
    }
  }

  /** `isEager`: news end the wait. A record that fails is asked no more often because of them. */
  #wait(ms: number, isEager: boolean): Promise<void> {
    if (isEager && this.#hasNews) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        if (!isEager && !this.#isClosed) return;
        this.#wake = null;
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#wake = null;
        resolve();
      }, ms);
      this.#wake = done;
    });
  }
}
