import { expect, it } from 'vitest';
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
  const done: number[][] = [];
  const kernel = { sumColumns: (...job: number[]) => void done.push(job) } as unknown as Kernel;
  return { i32, done, kernel };
}

it('gives every job to one taker, as it was posted', () => {
  const { i32, done, kernel } = board();
  postJobs(i32, BOARD, SLOTS, JOBS);
  takeJobs(i32, BOARD, kernel);
  expect(done).toEqual(JOBS);
  expect(awaitJobs(i32, BOARD)).toBe(true);
  takeJobs(i32, BOARD, kernel);
  expect(done).toHaveLength(JOBS.length);
});

it('gives the jobs that are left to whoever comes, also to one who was called for the jobs before', () => {
  const { i32, done, kernel } = board();
  let isFirst = true;
  const first = {
    sumColumns(...job: number[]) {
      done.push(job);
      // While the first is at work on a job, another one takes the rest.
      if (isFirst) takeJobs(i32, BOARD, kernel);
      isFirst = false;
    },
  } as unknown as Kernel;
  for (let round = 1; round <= 2; round++) {
    isFirst = true;
    postJobs(i32, BOARD, SLOTS, JOBS);
    takeJobs(i32, BOARD, first);
    expect(awaitJobs(i32, BOARD)).toBe(true);
    expect(done).toHaveLength(round * JOBS.length);
  }
});

it('does not wait for ever for a thread that took a job and died', () => {
  const { i32, kernel } = board();
  postJobs(i32, BOARD, SLOTS, JOBS);
  const dying = {
    sumColumns() {
      throw new Error('gone');
    },
  } as unknown as Kernel;
  expect(() => takeJobs(i32, BOARD, dying)).toThrow('gone');
  takeJobs(i32, BOARD, kernel);
  expect(awaitJobs(i32, BOARD)).toBe(false);
  expect(isServed(i32, BOARD)).toBe(false);
});
