import { expect, it, vi } from 'vitest';
import { AheadBoard, type AheadTask, BOARD_BYTES, SUM_CALL_BYTES, type SumCall } from './ahead-board.ts';
import type { Kernel } from './kernel.ts';
import { TOO_MANY } from './pick-rows.ts';

const BOARD = 64;
const CALLS = BOARD + BOARD_BYTES;
const SUM_CALLS: readonly SumCall[] = [
  [1, 2, 3, 4, 5, 6, 7, 0],
  [10, 20, 30, 40, 50, 60, 70, 1],
  [100, 200, 300, 400, 500, 600, 700, 0],
];
/** So many rows are picked: three jobs of at most 64. */
const PICKED = 150;
const TASK: AheadTask = {
  sumCalls: SUM_CALLS,
  calls: CALLS,
  sums: 1000,
  words: 2000,
  rows: 3000,
  keys: 4000,
  rowCount: 640,
  pick: { wanted: 140 },
  code: 5000,
  blocks: 6000,
  codesOffset: 7000,
  width: 384,
  terms: { unit: 0.25, spread: 1.5, slack: 1e-7 },
};
const BOUNDS = [
  [3000, 64, 4000, 5000, 6000, 7000, 384, 0.25, 1.5, 1e-7],
  [3000 + 64 * 4, 64, 4000 + 64 * 2, 5000, 6000, 7000, 384, 0.25, 1.5, 1e-7],
  [3000 + 128 * 4, 22, 4000 + 128 * 2, 5000, 6000, 7000, 384, 0.25, 1.5, 1e-7],
];

/** A kernel that notes what it is asked. Every row has the sum 200. */
class NotingKernel {
  readonly sums: number[][] = [];
  readonly picks: number[][] = [];
  readonly bounds: number[][] = [];
  picked = PICKED;

  sumColumns(...call: number[]): void {
    this.sums.push(call);
  }

  countSums(...[, , , , low]: number[]): number {
    return low! <= 200 ? this.picked : 0;
  }

  collectSums(...call: number[]): number {
    this.picks.push(call);
    return this.picked;
  }

  boundRows(...call: number[]): void {
    this.bounds.push(call);
  }
}

function setUp() {
  const i32 = new Int32Array(new SharedArrayBuffer(CALLS + SUM_CALLS.length * SUM_CALL_BYTES));
  const kernel = new NotingKernel();
  const boardOf = (worker: object) => new AheadBoard(() => i32, BOARD, worker as Kernel);
  return { i32, kernel, board: boardOf(kernel), boardOf };
}

it('sums, picks and bounds, each job once and as it was posted', () => {
  const { board, kernel } = setUp();
  board.post(TASK);
  expect(board.finish()).toBe(true);
  expect(kernel.sums).toEqual(SUM_CALLS);
  expect(kernel.picks).toEqual([[1000, 2000, 20, 200, 255, 3000]]);
  expect(kernel.bounds).toEqual(BOUNDS);
  expect(board.picked).toEqual({ first: 200, count: PICKED });
  expect(board.finish()).toBe(true);
  expect(kernel.sums).toHaveLength(SUM_CALLS.length);
});

it('picks by a lowest sum, unless that gives too many', () => {
  const { board, kernel } = setUp();
  for (const [most, count] of [
    [PICKED, PICKED],
    [PICKED - 1, TOO_MANY],
  ] as const) {
    kernel.bounds.length = 0;
    board.post({ ...TASK, pick: { first: 190, most } });
    expect(board.finish()).toBe(true);
    expect(board.picked).toEqual({ first: 190, count });
    expect(kernel.bounds).toEqual(count === TOO_MANY ? [] : BOUNDS);
  }
  expect(kernel.picks).toEqual([[1000, 2000, 20, 190, 255, 3000]]);
});

it('has nothing to bound where nothing was picked', () => {
  const { board, kernel } = setUp();
  kernel.picked = 0;
  board.post(TASK);
  expect(board.finish()).toBe(true);
  expect(board.picked.count).toBe(0);
  expect(kernel.bounds).toEqual([]);
});

it('gives the jobs that are left to whoever comes, in either stage', () => {
  const { kernel, board, boardOf } = setUp();
  /** While the first is at work on a job, another one takes the rest. It cannot end the stage, so it is not waited for. */
  let helping = false;
  const help = () => {
    if (helping) return;
    helping = true;
    const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    expect(board.finish()).toBe(false);
    wait.mockRestore();
    helping = false;
  };
  const first = boardOf({
    sumColumns(...call: number[]) {
      kernel.sumColumns(...call);
      help();
    },
    countSums: (...call: number[]) => kernel.countSums(...call),
    collectSums: (...call: number[]) => kernel.collectSums(...call),
    boundRows(...call: number[]) {
      kernel.boundRows(...call);
      help();
    },
  });
  for (let round = 1; round <= 3; round++) {
    first.post(TASK);
    expect(first.finish()).toBe(true);
    expect(kernel.sums).toHaveLength(round * SUM_CALLS.length);
    expect(kernel.picks).toHaveLength(round);
    expect(kernel.bounds).toHaveLength(round * BOUNDS.length);
  }
  expect(kernel.bounds.slice(-BOUNDS.length).sort((a, b) => a[0]! - b[0]!)).toEqual(BOUNDS);
});

it('does not wait for ever for a thread that took a job and died', () => {
  const { board, boardOf } = setUp();
  board.post(TASK);
  const dying = boardOf({
    sumColumns() {
      throw new Error('gone');
    },
  });
  expect(() => dying.finish()).toThrow('gone');
  expect(board.finish()).toBe(false);
  expect(board.isServed).toBe(false);
});

it('gives nothing of one task to a thread that was held up since another', () => {
  const { board, kernel } = setUp();
  board.post({ ...TASK, sumCalls: SUM_CALLS.slice(0, 2) });
  const { compareExchange } = Atomics;
  const held = vi.spyOn(Atomics, 'compareExchange').mockImplementationOnce((...args) => {
    // Meanwhile another does all there is, and more is posted than there was.
    expect(board.finish()).toBe(true);
    board.post(TASK);
    return compareExchange(...(args as Parameters<typeof compareExchange>));
  });
  expect(board.finish()).toBe(true);
  held.mockRestore();
  expect(kernel.sums).toEqual([...SUM_CALLS.slice(0, 2), ...SUM_CALLS]);
  expect(kernel.bounds).toEqual([...BOUNDS, ...BOUNDS]);
});

it('gives nothing away while a stage is being laid out', () => {
  const { board, kernel } = setUp();
  // One job of each stage: the stages that follow have more.
  kernel.picked = 10;
  board.post({ ...TASK, sumCalls: SUM_CALLS.slice(0, 1) });
  expect(board.finish()).toBe(true);
  kernel.picked = PICKED;
  const { store } = Atomics;
  let looking = false;
  const stores = vi.spyOn(Atomics, 'store').mockImplementation((...args) => {
    const stored = store(...(args as Parameters<typeof store>));
    if (looking) return stored;
    // A thread that is still awake looks at the board between any two steps.
    looking = true;
    const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    board.finish();
    wait.mockRestore();
    looking = false;
    return stored;
  });
  board.post(TASK);
  stores.mockRestore();
  expect(board.finish()).toBe(true);
  expect(kernel.sums).toEqual([...SUM_CALLS.slice(0, 1), ...SUM_CALLS]);
  expect(kernel.bounds.slice(1)).toEqual(BOUNDS);
});

it('is served once a thread says so, and when nothing is under way', () => {
  const { board } = setUp();
  expect(board.isServed).toBe(false);
  // It never returns, so it ends where it would go to sleep for the second time.
  const wait = vi.spyOn(Atomics, 'wait').mockImplementationOnce(() => {
    expect(board.isServed).toBe(true);
    board.post(TASK);
    expect(board.isServed).toBe(false);
    return 'ok';
  });
  wait.mockImplementationOnce(() => {
    throw new Error('asleep');
  });
  expect(() => board.serve()).toThrow('asleep');
  wait.mockRestore();
  expect(board.isServed).toBe(true);
});
