import type { Kernel } from './kernel.ts';

/** Words of the board that threads share, each an i32. */
const READY = 0;
const CALLED = 1;
const NEXT = 2;
const COUNT = 3;
const DONE = 4;
const SLOTS = 5;
export const BOARD_BYTES = 64;

/** The arguments of one call of `sumColumns`. */
export type ColumnJob = readonly [
  sketch: number,
  run: number,
  groups: number,
  columns: number,
  tables: number,
  count: number,
  sums: number,
];
const JOB_NUMBERS = 7;
export const JOB_BYTES = JOB_NUMBERS * 4;

/** Looks at a counter before a thread goes to sleep over it: most jobs are done by then. */
const LOOKS = 2000;
/** A thread that takes this long for a job of some microseconds is gone. */
const GONE_MS = 1000;

/**
 * Jobs in memory that two threads share: whoever is free takes the next. Jobs may be posted when all before are done; a
 * thread that wakes up late finds none left, or takes one of the next. `i32` is a view of the whole memory, `board` the
 * address of `BOARD_BYTES` in it.
 */
export function postJobs(i32: Int32Array, board: number, slots: number, jobs: readonly ColumnJob[]): void {
  const at = board / 4;
  jobs.forEach((job, i) => {
    i32.set(job, slots / 4 + i * JOB_NUMBERS);
  });
  i32[at + SLOTS] = slots;
  Atomics.store(i32, at + DONE, 0);
  Atomics.store(i32, at + COUNT, jobs.length);
  // From here on they can be taken.
  Atomics.store(i32, at + NEXT, 0);
  Atomics.add(i32, at + CALLED, 1);
  Atomics.notify(i32, at + CALLED);
}

/** Does jobs until none is left to take. Others may still be at work on theirs. */
export function takeJobs(i32: Int32Array, board: number, kernel: Kernel): void {
  const at = board / 4;
  for (;;) {
    const job = Atomics.add(i32, at + NEXT, 1);
    const count = Atomics.load(i32, at + COUNT);
    if (job >= count) return;
    const from = i32[at + SLOTS]! / 4 + job * JOB_NUMBERS;
    const [sketch, run, groups, columns, tables, listed, sums] = i32.subarray(from, from + JOB_NUMBERS);
    kernel.sumColumns(sketch!, run!, groups!, columns!, tables!, listed!, sums!);
    if (Atomics.add(i32, at + DONE, 1) + 1 === count) Atomics.notify(i32, at + DONE);
  }
}

/** Waits for jobs that others have taken. False when they do not come back: the thread is gone. */
export function awaitJobs(i32: Int32Array, board: number): boolean {
  const at = board / 4;
  const count = Atomics.load(i32, at + COUNT);
  for (let look = 0; look < LOOKS; look++) if (Atomics.load(i32, at + DONE) >= count) return true;
  for (let done = Atomics.load(i32, at + DONE); done < count; done = Atomics.load(i32, at + DONE)) {
    if (Atomics.wait(i32, at + DONE, done, GONE_MS) === 'timed-out') return false;
  }
  return true;
}

/** What the second thread does all its life: sleeps until it is called. `view` gives a view of the memory as it is now. */
export function serveJobs(view: () => Int32Array, board: number, kernel: Kernel): never {
  const at = board / 4;
  let called = Atomics.load(view(), at + CALLED);
  Atomics.store(view(), at + READY, 1);
  for (;;) {
    Atomics.wait(view(), at + CALLED, called);
    called = Atomics.load(view(), at + CALLED);
    takeJobs(view(), board, kernel);
  }
}

/**
 * Whether a second thread is there and all jobs are done. Read from memory and not told by a message: those only arrive
 * between two tasks of an event loop.
 */
export function isServed(i32: Int32Array, board: number): boolean {
  const at = board / 4;
  return Atomics.load(i32, at + READY) === 1 && Atomics.load(i32, at + DONE) >= Atomics.load(i32, at + COUNT);
}
