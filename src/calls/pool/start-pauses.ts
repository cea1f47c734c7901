import { callError } from '../contract/call-errors.ts';
import type { UpstreamStatus } from '../contract/tool-caller.ts';

/** Failures in a row before the first pause. */
const FREE_FAILURES = 3;
const MAX_PAUSE_S = 60;

interface Failing {
  readonly path: string;
  failures: number;
  until: number;
}

/** After three failed starts of a server, the next one is tried only after a pause: 1 s, then twice as long each time, up to 60 s. */
export class StartPauses {
  readonly #failing = new Map<string, Failing>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Throws UNAVAILABLE during a pause. */
  check(key: string, path: string): void {
    const left = this.#leftOf(this.#failing.get(key));
    if (left === 0) return;
    const { failures } = this.#failing.get(key)!;
    throw callError(
      'UNAVAILABLE',
      `The server ${path} failed to start ${failures} times in a row.`,
      `It is tried again in ${left} s.`,
      { retry_after: left },
    );
  }

  failed(key: string, path: string): void {
    const failing = this.#failing.get(key) ?? { path, failures: 0, until: 0 };
    failing.failures++;
    const over = failing.failures - FREE_FAILURES;
    if (over >= 0) failing.until = this.#now() + 1000 * Math.min(MAX_PAUSE_S, 2 ** over);
    this.#failing.set(key, failing);
  }

  succeeded(key: string): void {
    this.#failing.delete(key);
  }

  status(): readonly UpstreamStatus[] {
    return [...this.#failing.values()].flatMap((failing) => {
      const left = this.#leftOf(failing);
      if (left === 0) return [];
      const { path } = failing;
      return [
        { path, state: 'paused' as const, transport: null, pid: null, in_flight: 0, calls: 0, retry_after: left },
      ];
    });
  }

  #leftOf(failing: Failing | undefined): number {
    return failing === undefined ? 0 : Math.max(0, Math.ceil((failing.until - this.#now()) / 1000));
  }
}
