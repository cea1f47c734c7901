import { setImmediate } from 'node:timers/promises';

/**
 * How long one slice of background work waits for searches. A search that takes longer waits for something else, such as its
 * embedding, and needs the event loop only now and then. It bounds the wait too: under any load, background work goes on.
 */
const WAIT_MS = 20;

/** For so long after a search, the next one is expected. */
const RECENT_MS = 1000;

/** A process has one event loop, so these are of the process. */
let searches = 0;
let lastBegan = Number.NEGATIVE_INFINITY;
let waiting: (() => void)[] = [];
let lastTurn: Promise<unknown> = Promise.resolve();

/** Whether searches arrive. Background work takes smaller steps then. */
export const isSearched = (): boolean => searches > 0 || performance.now() - lastBegan < RECENT_MS;

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
  const end = performance.now() + WAIT_MS;
  for (;;) {
    await ownTurn();
    const rest = Math.min(end, lastBegan + WAIT_MS) - performance.now();
    if (searches === 0 || rest <= 0) return;
    await untilNoSearch(rest);
  }
}

/**
 * Gives each slice a turn of the event loop of its own, in the order in which they asked: a search that arrives waits for one
 * slice, not for one of every write. A turn also lies between the end of a search and the next slice, so that its answer is
 * sent first. Work that must not fall behind, however many searches there are, calls it instead of `yieldToSearches`.
 */
export async function ownTurn(): Promise<void> {
  const turn = lastTurn.then(() => setImmediate());
  lastTurn = turn;
  await turn;
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
