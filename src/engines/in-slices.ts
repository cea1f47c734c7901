import { setImmediate } from 'node:timers/promises';

/** Long work in slices of a few milliseconds: it yields where others may have a turn. */
export type Sliced<T> = Generator<void, T>;

/** Runs sliced work and lets others have a turn between slices. `check` runs before each slice: it throws to end the work. */
export async function inSlices<T>(work: Sliced<T>, check: () => void = () => {}): Promise<T> {
  for (;;) {
    check();
    const slice = work.next();
    if (slice.done === true) return slice.value;
    await setImmediate();
  }
}

/** Runs all slices at once. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
}
