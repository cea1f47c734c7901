import { expect, it, vi } from 'vitest';
import { awaitJobs, BOARD_BYTES, type ColumnJob, isServed, JOB_BYTES, postJobs, takeJobs } from './column-jobs.ts';
import type { Kernel } from './kernel.ts';

const BOARD = 64;
const SLOTS = BOARD + BOARD_BYTES;
const JOBS: readonly ColumnJob[] = [
  [1, 2, 3, 4, 5, 6, 7],
  [10, 20, 30, 40, 50, 60, 70],
  [100, 200, 300, 400, 500, 600, 700],
];

function board() {
  const i32 = new Int32Array(new SharedArrayBuffer(SLOTS + JOBS.length * JOB_BYTES));
  const view = () => i32;
  const done: number[][] = [];
  const kernel = { sumColumns: (...job: number[]) => void done.push(job) } as unknown as Kernel;
  return { view, done, kernel };
}

it('gives every job to one taker, as it was posted', () => {
  const { view, done, kernel } = board();
  postJobs(view, BOARD, SLOTS, JOBS);
  takeJobs(view, BOARD, kernel);
  expect(done).toEqual(JOBS);
  expect(awaitJobs(view, BOARD)).toBe(true);
  takeJobs(view, BOARD, kernel);
  expect(done).toHaveLength(JOBS.length);
});

it('gives the jobs that are left to whoever comes, also to one who was called for the jobs before', () => {
  const { view, done, kernel } = board();
  let isFirst = true;
  const first = {
    sumColumns(...job: number[]) {
      done.push(job);
      // While the first is at work on a job, another one takes the rest.
      if (isFirst) takeJobs(view, BOARD, kernel);
      isFirst = false;
    },
  } as unknown as Kernel;
  for (let round = 1; round <= 2; round++) {
    isFirst = true;
    postJobs(view, BOARD, SLOTS, JOBS);
    takeJobs(view, BOARD, first);
    expect(awaitJobs(view, BOARD)).toBe(true);
    expect(done).toHaveLength(round * JOBS.length);
  }
});

it('does not wait for ever for a thread that took a job and died', () => {
  const { view, kernel } = board();
  postJobs(view, BOARD, SLOTS, JOBS);
  const dying = {
    sumColumns() {
      throw new Error('gone');
    },
  } as unknown as Kernel;
  expect(() => takeJobs(view, BOARD, dying)).toThrow('gone');
  takeJobs(view, BOARD, kernel);
  expect(awaitJobs(view, BOARD)).toBe(false);
  expect(isServed(view, BOARD)).toBe(false);
});

it('gives nothing of one call to a thread that was held up since another', () => {
  const { view, done, kernel } = board();
  postJobs(view, BOARD, SLOTS, JOBS.slice(0, 2));
  const { compareExchange } = Atomics;
  const held = vi.spyOn(Atomics, 'compareExchange').mockImplementationOnce((...args) => {
    // Meanwhile another does all there is, and more is posted than there was.
    takeJobs(view, BOARD, kernel);
    postJobs(view, BOARD, SLOTS, JOBS);
    return compareExchange(...(args as Parameters<typeof compareExchange>));
  });
  takeJobs(view, BOARD, kernel);
  held.mockRestore();
  expect(done).toEqual([...JOBS.slice(0, 2), ...JOBS]);
  expect(awaitJobs(view, BOARD)).toBe(true);
});
