import { setImmediate } from 'node:timers/promises';

/**
 * How long one slice of background work waits for searches. A search that takes longer waits for something else, such as its
 * embedding, and needs the event loop only now and then. It bounds the wait too: under any load, background work goes on.
 */
const WAIT_MS = 20;

/** A process has one event loop, so these are of the process. */
let searches = 0;
let lastBegan = 0;
let waiting: (() => void)[] = [];

/** Runs a search. Background work waits for its end. */
export async function asSearch<T>(search: () => Promise<T>): Promise<T> {
  searches++;
  lastBegan = performance.now();
  try {
    return await search();
  } finally {
    searches--;
    if (searches === 0) for (const wake of waiting.splice(0)) wake();
  }
}

/**
 * Call it between two slices of background work, each of a few milliseconds. Others have a turn, and the searches that are
 * under way end first: each of them needs several turns, and would wait for a slice at every one.
 */
export async function yieldToSearches(): Promise<void> {
  await setImmediate();
  const end = performance.now() + WAIT_MS;
  while (searches > 0) {
    const rest = Math.min(end, lastBegan + WAIT_MS) - performance.now();
    if (rest <= 0) return;
    await untilNoSearch(rest);
  }
}

/** Resolves after that many milliseconds if searches are under way until then. */
function untilNoSearch(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting = waiting.filter((other) => other !== wake);
      resolve();
    }, ms);
    waiting.push(wake);
  });
}
