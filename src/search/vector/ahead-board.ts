import type { Kernel } from './kernel.ts';
import { type Picked, pickBest, pickFrom, type SummedRows, TOO_MANY } from './pick-rows.ts';
import type { BoundTerms } from './query-forms.ts';

/** Words of the board that threads share, each an i32. */
const IS_UP = 0;
const CALLED = 1;
const STAGE = 2;
const NEXT = 3;
const COUNT = 4;
const DONE = 5;
const FIRST = 6;
const PICKED = 7;
/** From here on the task. Addresses above what an i32 holds are negative here, which is the same to a kernel. */
const SUMS = 8;
const WORDS = 9;
const ROWS = 10;
const ROW_COUNT = 11;
const WANTED = 12;
const LEAST = 13;
const MOST = 14;
const KEYS = 15;
const CODE = 16;
const BLOCKS = 17;
const CODES_OFFSET = 18;
const WIDTH = 19;
const CALLS = 20;
/** Three f64. */
const TERMS = 22;
export const BOARD_BYTES = 128;

const CALL_NUMBERS = 8;
export const SUM_CALL_BYTES = CALL_NUMBERS * 4;

/** What is worked on. A board nobody has written on is ready. */
const READY = 0;
const SUMMING = 1;
const BOUNDING = 2;

/** NEXT holds which round the jobs belong to and, in its low bits, which of them is the next: both change in one step. */
const INDEX_BITS = 16;
const INDEX = (1 << INDEX_BITS) - 1;
const ROUNDS = (1 << (31 - INDEX_BITS)) - 1;

/** Rows that are bounded in one job, a multiple of four. */
const BOUNDED_ROWS = 64;

/** Looks at the board before a thread goes to sleep over it: most jobs are done by then. */
const LOOKS = 2000;
/** Longer than a job of some microseconds ever takes, unless the machine itself stands still. */
const MAX_WAIT_MS = 100;

/** The arguments of one call. */
export type SumCall = Readonly<Parameters<Kernel['sumColumns']>>;

/** Where a kernel finds the codes of rows: see `boundRows`. */
export interface CodePlaces {
  readonly blocks: number;
  readonly codesOffset: number;
  readonly width: number;
}

/** Makes sums, picks the rows with the best of them and bounds those. */
export interface AheadTask extends SummedRows, CodePlaces {
  readonly sumCalls: readonly SumCall[];
  /** Room for them, SUM_CALL_BYTES each. */
  readonly calls: number;
  readonly rowCount: number;
  /** Which rows to pick: about so many with the best sums, or those with sums from `first` on, if they are not too many. */
  readonly pick: { readonly wanted: number } | { readonly first: number; readonly most: number };
  readonly keys: number;
  /** The query that meets the codes. */
  readonly code: number;
  readonly terms: BoundTerms;
}

/** The memory as it is now, as numbers: a view from before it grew does not reach the new part. */
export type MemoryView = () => Int32Array;

/**
 * A task in memory that two threads share, in two stages: jobs that make the sums, then jobs that bound rows. Whoever is
 * free takes the next job; whoever ends the last one of a stage prepares the next stage. A thread that wakes up late finds
 * no job left, or takes one of what is worked on by then.
 */
export class AheadBoard {
  readonly #view: MemoryView;
  readonly #at: number;
  readonly #kernel: Kernel;

  /** `address` is that of BOARD_BYTES, a multiple of 8. */
  constructor(view: MemoryView, address: number, kernel: Kernel) {
    this.#view = view;
    this.#at = address / 4;
    this.#kernel = kernel;
  }

  /**
   * Whether a second thread is there and nothing is under way. Read from memory and not told by a message: those only arrive
   * between two tasks of an event loop.
   */
  get isServed(): boolean {
    const i32 = this.#view();
    return Atomics.load(i32, this.#at + IS_UP) === 1 && Atomics.load(i32, this.#at + STAGE) === READY;
  }

  /** Only when nothing is under way. */
  post(task: AheadTask): void {
    const i32 = this.#view();
    const at = this.#at;
    i32[at + SUMS] = task.sums;
    i32[at + WORDS] = task.words;
    i32[at + ROWS] = task.rows;
    i32[at + ROW_COUNT] = task.rowCount;
    i32[at + WANTED] = 'wanted' in task.pick ? task.pick.wanted : 0;
    i32[at + LEAST] = 'wanted' in task.pick ? 0 : task.pick.first;
    i32[at + MOST] = 'wanted' in task.pick ? 0 : task.pick.most;
    i32[at + KEYS] = task.keys;
    i32[at + CODE] = task.code;
    i32[at + BLOCKS] = task.blocks;
    i32[at + CODES_OFFSET] = task.codesOffset;
    i32[at + WIDTH] = task.width;
    const terms = this.#terms(i32);
    terms[0] = task.terms.unit;
    terms[1] = task.terms.spread;
    terms[2] = task.terms.slack;
    i32[at + CALLS] = task.calls;
    for (let i = 0; i < task.sumCalls.length; i++) i32.set(task.sumCalls[i]!, task.calls / 4 + i * CALL_NUMBERS);
    this.#open(i32, SUMMING, task.sumCalls.length);
    Atomics.add(i32, at + CALLED, 1);
    Atomics.notify(i32, at + CALLED);
  }

  /** Helps until all is done. False when others take too long over theirs: then whoever waits goes on alone. */
  finish(): boolean {
    const at = this.#at;
    for (;;) {
      this.#takeJobs();
      const i32 = this.#view();
      const stage = Atomics.load(i32, at + STAGE);
      if (stage === READY) return true;
      for (let look = 0; look < LOOKS && !this.#hasNews(i32, stage); look++);
      if (this.#hasNews(i32, stage)) continue;
      if (Atomics.wait(i32, at + STAGE, stage, MAX_WAIT_MS) === 'timed-out') return false;
    }
  }

  /** What a task that is done has picked. The count may be TOO_MANY. */
  get picked(): Picked {
    const i32 = this.#view();
    return { first: i32[this.#at + FIRST]!, count: i32[this.#at + PICKED]! };
  }

  /** What the second thread does all its life: sleeps until it is called. */
  serve(): never {
    const at = this.#at;
    let called = Atomics.load(this.#view(), at + CALLED);
    Atomics.store(this.#view(), at + IS_UP, 1);
    for (;;) {
      Atomics.wait(this.#view(), at + CALLED, called);
      called = Atomics.load(this.#view(), at + CALLED);
      this.finish();
    }
  }

  #hasNews(i32: Int32Array, stage: number): boolean {
    const at = this.#at;
    if (Atomics.load(i32, at + STAGE) !== stage) return true;
    return (Atomics.load(i32, at + NEXT) & INDEX) < Atomics.load(i32, at + COUNT);
  }

  /** Does jobs until none is left to take. Others may still be at work on theirs. */
  #takeJobs(): void {
    const at = this.#at;
    for (;;) {
      const i32 = this.#view();
      const next = Atomics.load(i32, at + NEXT);
      const count = Atomics.load(i32, at + COUNT);
      const index = next & INDEX;
      if (index >= count) return;
      // Fails where another took it, or where all of this belongs to an earlier round.
      if (Atomics.compareExchange(i32, at + NEXT, next, next + 1) !== next) continue;
      const stage = Atomics.load(i32, at + STAGE);
      if (stage === SUMMING) this.#sum(this.#view(), index);
      else this.#bound(this.#view(), index);
      if (Atomics.add(i32, at + DONE, 1) + 1 < count) continue;
      if (stage === SUMMING) this.#pick(this.#view());
      else this.#enter(i32, READY);
    }
  }

  #sum(i32: Int32Array, index: number): void {
    const from = (i32[this.#at + CALLS]! >>> 0) / 4 + index * CALL_NUMBERS;
    this.#kernel.sumColumns(
      i32[from]!,
      i32[from + 1]!,
      i32[from + 2]!,
      i32[from + 3]!,
      i32[from + 4]!,
      i32[from + 5]!,
      i32[from + 6]!,
      i32[from + 7]!,
    );
  }

  #pick(i32: Int32Array): void {
    const at = this.#at;
    const summed = { sums: i32[at + SUMS]!, words: i32[at + WORDS]!, rows: i32[at + ROWS]! };
    const rowCount = i32[at + ROW_COUNT]!;
    const wanted = i32[at + WANTED]!;
    const least = i32[at + LEAST]!;
    const picked: Picked =
      wanted > 0
        ? pickBest(this.#kernel, summed, rowCount, wanted)
        : { first: least, count: pickFrom(this.#kernel, summed, rowCount, least, i32[at + MOST]!) };
    i32[at + FIRST] = picked.first;
    i32[at + PICKED] = picked.count;
    if (picked.count === 0 || picked.count === TOO_MANY) this.#enter(i32, READY);
    else this.#open(i32, BOUNDING, Math.ceil(picked.count / BOUNDED_ROWS));
  }

  #bound(i32: Int32Array, index: number): void {
    const at = this.#at;
    const from = index * BOUNDED_ROWS;
    const terms = this.#terms(i32);
    this.#kernel.boundRows(
      i32[at + ROWS]! + from * 4,
      Math.min(BOUNDED_ROWS, i32[at + PICKED]! - from),
      i32[at + KEYS]! + from * 2,
      i32[at + CODE]!,
      i32[at + BLOCKS]!,
      i32[at + CODES_OFFSET]!,
      i32[at + WIDTH]!,
      terms[0]!,
      terms[1]!,
      terms[2]!,
    );
  }

  /** Lets jobs be taken. Those of the stage before are all done. */
  #open(i32: Int32Array, stage: number, jobs: number): void {
    const at = this.#at;
    const round = ((Atomics.load(i32, at + NEXT) >>> INDEX_BITS) + 1) & ROUNDS;
    // Until everything is in its place there is no next one.
    Atomics.store(i32, at + NEXT, (round << INDEX_BITS) | INDEX);
    Atomics.store(i32, at + DONE, 0);
    Atomics.store(i32, at + COUNT, jobs);
    Atomics.store(i32, at + STAGE, stage);
    Atomics.store(i32, at + NEXT, round << INDEX_BITS);
    Atomics.notify(i32, at + STAGE);
  }

  #enter(i32: Int32Array, stage: number): void {
    Atomics.store(i32, this.#at + STAGE, stage);
    Atomics.notify(i32, this.#at + STAGE);
  }

  #terms(i32: Int32Array): Float64Array {
    return new Float64Array(i32.buffer, (this.#at + TERMS) * 4, 3);
  }
}
