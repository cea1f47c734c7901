import type { DowserError } from '../../model/errors/errors.ts';
import type { WhenLost } from '../replica.ts';

export interface FreshnessOptions {
  /** A copy that was not confirmed for longer than this is not ready. */
  readonly maxBehindMs: number;
  /** Default: leave. */
  readonly whenLost?: WhenLost;
  /** Milliseconds, for tests. */
  readonly now?: () => number;
}

/** How sure it is that a copy has everything that the record has. */
export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #now: () => number;
  /** When the question was sent to which the record answered that the copy has everything. */
  #confirmedAt: number;
  /** Since when the record is known to have more. */
  #lacksSince: number | null = null;

  constructor(options: FreshnessOptions) {
    this.#options = options;
    // Of this machine alone, and it never jumps.
    this.#now = options.now ?? (() => performance.now());
    this.#confirmedAt = this.#now();
  }

  get now(): number {
    return this.#now();
  }

  get confirmedAt(): number {
    return this.#confirmedAt;
  }

  get behindMs(): number {
    return Math.round(this.#now() - this.#confirmedAt);
  }

  confirm(sentAt: number): void {
    this.#confirmedAt = sentAt;
    this.#lacksSince = null;
  }

  lack(): void {
    this.#lacksSince ??= this.#now();
  }

  /** Whether searches of the copy are as good as those of another node. */
  isReady(error: DowserError | null): boolean {
    const { maxBehindMs, whenLost = 'leave' } = this.#options;
    const isLost = error?.code === 'RECORD_UNAVAILABLE';
    // It cannot follow the record, however long it waits.
    if (error !== null && !isLost) return false;
    if (isLost && whenLost === 'serve')
      return this.#lacksSince === null || this.#now() - this.#lacksSince <= maxBehindMs;
    return this.#now() - this.#confirmedAt <= maxBehindMs;
  }
}
