import { setImmediate } from 'node:timers/promises';

/** Runs work that yields where others may have a turn of the event loop. Short work ends in this turn. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
    await setImmediate();
  }
}
