import { readFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** A turn of the event loop: how long, how much of it this thread computed and how much it waited for a core. */
interface Pause {
  readonly ms: number;
  /** Counted at the ticks of Linux, so up to 4 milliseconds too few or too many. */
  readonly cpuMs: number;
  readonly waitMs: number;
}

interface Watched {
  readonly pauses: readonly Pause[];
  /** Milliseconds of each garbage collection. */
  readonly collections: readonly number[];
}

/** Every turn of the event loop from now on, until it is called. A machine that is busy makes pauses longer, not their CPU. */
export function watchPauses(): () => Promise<Watched> {
  // Of Linux: nanoseconds of CPU and of waiting for a core, of the main thread.
  const read = () => [performance.now(), ...readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number)];
  const pauses: Pause[] = [];
  const collections: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collections.push(duration);
  });
  observer.observe({ entryTypes: ['gc'] });
  let last = read();
  const timer = setInterval(() => {
    const now = read();
    const [ms, cpu, wait] = now.map((value, n) => value - last[n]!);
    pauses.push({ ms: ms!, cpuMs: cpu! / 1e6, waitMs: wait! / 1e6 });
    last = now;
  }, 1);
  return async () => {
    clearInterval(timer);
    await setImmediate();
    observer.disconnect();
    return { pauses, collections };
  };
}
