/** How long a timer of the event loop was late, in milliseconds: how long requests had to wait for others. */
export interface DelayReport {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const EVERY_MS = 100;
/** One minute. */
const SAMPLES = 600;

/** The delays of the last minute. */
export class LoopDelay {
  readonly #late = new Float64Array(SAMPLES);
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Measures until `close`. Does not keep the process alive. */
  start(): void {
    let expected = performance.now() + EVERY_MS;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.record(now - expected);
      expected = now + EVERY_MS;
    }, EVERY_MS).unref();
  }

  record(lateMs: number): void {
    this.#late[this.#count % SAMPLES] = Math.max(0, lateMs);
    this.#count++;
  }

  report(): DelayReport {
    const sorted = this.#late.slice(0, Math.min(this.#count, SAMPLES)).sort();
    const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
