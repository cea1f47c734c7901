import { setImmediate } from 'node:timers/promises';

/**
 * Long work in slices of a few milliseconds: it yields where others may have a turn. The next slice waits for a promise that is
 * yielded, which must not fail. At once, nothing waits for it.
 */
export type Sliced<T> = Generator<void | Promise<void>, T>;

/**
 * Runs sliced work and lets others have a turn between slices. `check` runs before each slice: it throws to end the work.
 * `pause`: how to wait between slices. Default: one turn of the event loop.
 */
export async function inSlices<T>(
  work: Sliced<T>,
  check: () => void = () => {},
  pause: () => Promise<void> = setImmediate,
): Promise<T> {
  for (;;) {
    try {
      check();
    } catch (error) {
      // So that it can undo what it has done so far.
      work.return(undefined as T);
      throw error;
    }
    const slice = work.next();
    if (slice.done === true) return slice.value;
    if (slice.value !== undefined) await slice.value;
    await pause();
  }
}

/** Runs all slices at once. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
}

// biome-ignore lint/correctness/useYield: it is one slice.
export function* oneSlice<T>(work: () => T): Sliced<T> {
  return work();
}
