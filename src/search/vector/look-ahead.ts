import type { LinearMemory } from './arena.ts';
import { awaitJobs, BOARD_BYTES, isServed, JOB_BYTES, type MemoryView, postJobs, takeJobs } from './column-jobs.ts';
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
  readonly #view: MemoryView;
  #sums = 0;
  #slots = 0;
  /** Rows and areas there is room for. */
  #rows = 0;
  #areas = 0;
  /** How many writes the store had seen when it began; null when nothing is under way. */
  #begun: number | null = null;

  constructor(store: VectorStore, dimensions: number) {
    this.#store = store;
    this.#query = new QueryForms(store, dimensions);
    this.#board = store.arena.allocate(BOARD_BYTES);
    this.#view = () => store.arena.i32;
  }

  get setup(): ThreadSetup {
    return { memory: this.#store.arena.memory, board: this.#board };
  }

  /** Whether a query can be begun now: there is a thread, and it has nothing to do. */
  get isFree(): boolean {
    return this.#begun === null && isServed(this.#view, this.#board);
  }

  /** `squares` is that of the query, above 0; `writes` rises with every write. */
  begin(query: Float32Array, squares: number, rows: number, writes: number): void {
    this.#makeRoom();
    this.#query.write(query, squares);
    const jobs = this.#store.columnJobs(rows, this.#query.sketch, this.#sums);
    postJobs(this.#view, this.#board, this.#slots, jobs);
    this.#begun = writes;
  }

  /** The sums that were begun, if they are of this query and no row has changed since. Helps to finish them. */
  finish(query: Float32Array, writes: number): Sums | null {
    if (this.#begun === null || !this.#query.holds(query)) return null;
    const isFresh = this.#begun === writes;
    this.#begun = null;
    if (!isFresh) return null;
    takeJobs(this.#view, this.#board, this.#store.kernel);
    return awaitJobs(this.#view, this.#board) ? { query: this.#query, address: this.#sums } : null;
  }

  /** Whatever was begun is not wanted any more. The thread ends it alone. */
  drop(): void {
    this.#begun = null;
  }

  /** What was there before is left unused: with doubling that is less than what is used. */
  #makeRoom(): void {
    const { arena, capacity, areaCount } = this.#store;
    if (this.#rows < capacity) {
      const rows = Math.max(capacity, 2 * this.#rows);
      this.#sums = arena.allocate(rows);
      this.#rows = rows;
    }
    if (this.#areas < areaCount) {
      const areas = Math.max(areaCount, 2 * this.#areas);
      this.#slots = arena.allocate(areas * JOB_BYTES);
      this.#areas = areas;
    }
  }
}
