/** The reason of a wait that ended. */
export class Late extends Error {}

/** Gives up with a `Late` whose message is the given reason. */
export type GiveUp = (reason: string) => void;

/**
 * Stops waiting when `watch` gives up or the caller aborts, even if the work ignores its signal. `watch` returns how to stop
 * it.
 */
export async function watched<T>(
  signal: AbortSignal,
  watch: (giveUp: GiveUp) => () => void,
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const until = AbortSignal.any([signal, late.signal]);
  const stopWatching = watch((reason) => late.abort(new Late(reason)));
  const stopped = new Promise<never>((_, reject) => {
    until.addEventListener('abort', () => reject(until.reason), { once: true });
  });
  const working = work(until);
  // Ignore the later outcome of abandoned work.
  working.catch(() => {});
  try {
    return await Promise.race([working, stopped]);
  } finally {
    stopWatching();
  }
}

/** Stops waiting after `ms`. `what` is the start of the reason: `did not start`. */
export function within<T>(
  ms: number,
  signal: AbortSignal,
  what: string,
  work: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  const watch = (giveUp: GiveUp) => {
    const timer = setTimeout(giveUp, ms, `${what} within ${ms / 1000} s`);
    return () => clearTimeout(timer);
  };
  return watched(signal, watch, work);
}
