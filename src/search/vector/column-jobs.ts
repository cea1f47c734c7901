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

/** NEXT holds which call the jobs belong to and, in its low bits, which of them is the next: both change in one step. */
const INDEX_BITS = 16;
const INDEX = (1 << INDEX_BITS) - 1;
const CALLS = (1 << (31 - INDEX_BITS)) - 1;

/** Looks at a counter before a thread goes to sleep over it: most jobs are done by then. */
const LOOKS = 2000;
/** Longer than a job of some microseconds ever takes, unless the machine itself stands still. */
const MOST_WAIT_MS = 100;

/** The memory as it is now, as numbers: a view from before it grew does not reach the new part. */
export type MemoryView = () => Int32Array;

/**
 * Jobs in memory that two threads share: whoever is free takes the next. Jobs may be posted when all before are done. A
 * thread that wakes up late finds none left, or takes one of the next call. `board` is the address of `BOARD_BYTES`.
 */
export function postJobs(view: MemoryView, board: number, slots: number, jobs: readonly ColumnJob[]): void {
  const i32 = view();
  const at = board / 4;
  jobs.forEach((job, i) => {
    i32.set(job, slots / 4 + i * JOB_NUMBERS);
  });
  const call = (Atomics.load(i32, at + CALLED) + 1) & CALLS;
  Atomics.store(i32, at + SLOTS, slots);
  Atomics.store(i32, at + DONE, 0);
  Atomics.store(i32, at + COUNT, jobs.length);
  // From here on they can be taken.
  Atomics.store(i32, at + NEXT, call << INDEX_BITS);
  Atomics.store(i32, at + CALLED, call);
  Atomics.notify(i32, at + CALLED);
}

/** Does jobs until none is left to take. Others may still be at work on theirs. */
export function takeJobs(view: MemoryView, board: number, kernel: Kernel): void {
  const at = board / 4;
  for (;;) {
    const i32 = view();
    const next = Atomics.load(i32, at + NEXT);
    const count = Atomics.load(i32, at + COUNT);
    if ((next & INDEX) >= count) return;
    const slots = Atomics.load(i32, at + SLOTS);
    // Fails where another took it, or where all of this belongs to an earlier call.
    if (Atomics.compareExchange(i32, at + NEXT, next, next + 1) !== next) continue;
    const from = slots / 4 + (next & INDEX) * JOB_NUMBERS;
    const [sketch, run, groups, columns, tables, listed, sums] = view().subarray(from, from + JOB_NUMBERS);
    kernel.sumColumns(sketch!, run!, groups!, columns!, tables!, listed!, sums!);
    if (Atomics.add(i32, at + DONE, 1) + 1 === count) Atomics.notify(i32, at + DONE);
  }
}

/** Waits for jobs that others have taken. False when they take too long: then whoever waits goes on alone. */
export function awaitJobs(view: MemoryView, board: number): boolean {
  const i32 = view();
  const at = board / 4;
  const count = Atomics.load(i32, at + COUNT);
  for (let look = 0; look < LOOKS; look++) if (Atomics.load(i32, at + DONE) >= count) return true;
  for (let done = Atomics.load(i32, at + DONE); done < count; done = Atomics.load(i32, at + DONE)) {
    if (Atomics.wait(i32, at + DONE, done, MOST_WAIT_MS) === 'timed-out') return false;
  }
  return true;
}

/** What the second thread does all its life: sleeps until it is called. */
export function serveJobs(view: MemoryView, board: number, kernel: Kernel): never {
  const at = board / 4;
  let called = Atomics.load(view(), at + CALLED);
  Atomics.store(view(), at + READY, 1);
  for (;;) {
    Atomics.wait(view(), at + CALLED, called);
    called = Atomics.load(view(), at + CALLED);
    takeJobs(view, board, kernel);
  }
}

/**
 * Whether a second thread is there and all jobs are done. Read from memory and not told by a message: those only arrive
 * between two tasks of an event loop.
 */
export function isServed(view: MemoryView, board: number): boolean {
  const i32 = view();
  const at = board / 4;
  return Atomics.load(i32, at + READY) === 1 && Atomics.load(i32, at + DONE) >= Atomics.load(i32, at + COUNT);
}
