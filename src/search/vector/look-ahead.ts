import type { LinearMemory } from './arena.ts';
import { awaitJobs, BOARD_BYTES, isServed, JOB_BYTES, postJobs, takeJobs } from './column-jobs.ts';
import { QueryForms } from './query-forms.ts';
import type { VectorStore } from './vector-store.ts';

/** What a second thread needs to serve: see `serveJobs`. */
export interface ThreadSetup {
  readonly memory: LinearMemory;
  readonly board: number;
}

/** The sums of a query, by row, and the query they are of. */
export interface Sums {
  readonly query: QueryForms;
  readonly address: number;
}

/**
 * The sums of a query that is about to be searched, which a second thread works on while this one does something else.
 * Sums only choose which rows are looked at closely; scores are made by the search itself. One query at a time.
 */
export class LookAhead {
  readonly #store: VectorStore;
  readonly #query: QueryForms;
  readonly #board: number;
  #sums = 0;
  #slots = 0;
  #capacity = 0;
  #isGone = false;
  /** How many writes the store had seen when it began; null when nothing is under way. */
  #begun: number | null = null;

  constructor(store: VectorStore, dimensions: number) {
    this.#store = store;
    this.#query = new QueryForms(store, dimensions);
    this.#board = store.arena.allocate(BOARD_BYTES);
  }

  get setup(): ThreadSetup {
    return { memory: this.#store.arena.memory, board: this.#board };
  }

  /** Whether a query can be begun now: there is a thread, and it has nothing to do. */
  get isFree(): boolean {
    return this.#begun === null && !this.#isGone && isServed(this.#store.arena.i32, this.#board);
  }

  /** `squares` is that of the query, above 0; `writes` rises with every write. */
  begin(query: Float32Array, squares: number, rows: number, writes: number): void {
    const store = this.#store;
    if (this.#capacity < store.capacity) this.#enlarge();
    this.#query.write(query, squares);
    postJobs(store.arena.i32, this.#board, this.#slots, store.columnJobs(rows, this.#query.sketch, this.#sums));
    this.#begun = writes;
  }

  /** The sums that were begun, if they are of this query and no row has changed since. Helps to finish them. */
  finish(query: Float32Array, writes: number): Sums | null {
    if (this.#begun === null || !this.#query.holds(query)) return null;
    const isFresh = this.#begun === writes;
    this.#begun = null;
    const { arena, kernel } = this.#store;
    takeJobs(arena.i32, this.#board, kernel);
    this.#isGone = !awaitJobs(arena.i32, this.#board);
    return isFresh && !this.#isGone ? { query: this.#query, address: this.#sums } : null;
  }

  /** What was begun is not wanted: its search goes another way. The thread ends it alone. */
  drop(query: Float32Array): void {
    if (this.#begun !== null && this.#query.holds(query)) this.#begun = null;
  }

  #enlarge(): void {
    const { arena, capacity, areaCount } = this.#store;
    const sums = arena.allocate(capacity);
    this.#slots = arena.allocate(areaCount * JOB_BYTES);
    this.#sums = sums;
    this.#capacity = capacity;
  }
}
