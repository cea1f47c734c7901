import type { Bitset } from '../filter/bitset.ts';
import { AheadBoard, type AheadTask, BOARD_BYTES, SUM_CALL_BYTES } from './ahead-board.ts';
import type { LinearMemory } from './arena.ts';
import { EligibleRows } from './eligible-rows.ts';
import type { Picked } from './pick-rows.ts';
import { QueryForms } from './query-forms.ts';
import type { ColumnSet } from './query-sketch.ts';
import type { RowPicker } from './row-picker.ts';
import type { Scratch, VectorStore } from './vector-store.ts';

/** What a second thread needs to serve: see `AheadBoard`. */
export interface ThreadSetup {
  readonly memory: LinearMemory;
  readonly board: number;
}

/** What a sketched search is asked. */
export interface Question {
  readonly query: Float32Array;
  readonly eligible: Bitset | null;
  /** The rows that have a direction. */
  readonly findable: Bitset;
  /** One more than the highest row. */
  readonly rows: number;
  /** Rises with every write. */
  readonly writes: number;
  /** How many rows to pick by their sums. */
  readonly candidates: number;
}

/**
 * A search that is about to be asked, which a second thread works on while this one does something else. It picks the rows
 * that are looked at closely; scores are made by the search itself. One question at a time.
 */
export class LookAhead implements RowPicker {
  readonly #store: VectorStore;
  readonly #query: QueryForms;
  readonly #address: number;
  readonly #board: AheadBoard;
  readonly #eligible: EligibleRows;
  #scratch: Scratch = { words: 0, sums: 0, rows: 0, keys: 0 };
  #calls = 0;
  /** Rows and areas there is room for. */
  #rows = 0;
  #areas = 0;
  /** One more than the highest row, as it was when it began. */
  #asked = 0;
  /** Null when nothing is under way. */
  #begun: Question | null = null;
  /** That of the eligible rows when it began. */
  #version = 0;

  constructor(store: VectorStore, dimensions: number) {
    this.#store = store;
    this.#query = new QueryForms(store, dimensions);
    this.#address = store.arena.allocate(BOARD_BYTES);
    this.#board = new AheadBoard(() => store.arena.i32, this.#address, store.kernel);
    this.#eligible = new EligibleRows(store.arena);
  }

  get setup(): ThreadSetup {
    return { memory: this.#store.arena.memory, board: this.#address };
  }

  /** Whether a question can be begun now: there is a thread, and it has nothing to do. */
  get isFree(): boolean {
    return this.#begun === null && this.#board.isServed;
  }

  /** `squares` is that of the query, above 0. Returns whether it did: there may be no room for it. */
  begin(question: Question, squares: number): boolean {
    const { query, eligible, findable, rows, writes, candidates } = question;
    if (!this.#makeRoom()) return false;
    this.#eligible.write(this.#scratch.words, eligible, findable, rows, writes);
    this.#query.write(query, squares);
    this.#post(rows, this.#query.sketch.first, false, { wanted: candidates });
    this.#begun = question;
    this.#version = versionOf(question);
    return true;
  }

  /** The rows of what was begun, if that is this question and nothing has changed since: then this is its picker. */
  finish(question: Question): RowPicker | null {
    const begun = this.#begun;
    if (begun === null || !this.#query.holds(question.query)) return null;
    const isSame =
      begun.writes === question.writes &&
      begun.eligible === question.eligible &&
      this.#version === versionOf(question) &&
      begun.candidates === question.candidates;
    // Others may ask about the same query in between, such as for other types.
    if (!isSame) return null;
    this.#begun = null;
    return this;
  }

  get query(): QueryForms {
    return this.#query;
  }

  get scratch(): Scratch {
    return this.#scratch;
  }

  /** As many as it was begun with. Helps to finish it. */
  best(): Picked | null {
    return this.#board.finish() ? this.#board.picked : null;
  }

  from(first: number, most: number): number | null {
    this.#post(this.#asked, this.#query.sketch.rest, true, { first, most });
    return this.#board.finish() ? this.#board.picked.count : null;
  }

  #post(rows: number, columns: ColumnSet, adds: boolean, pick: AheadTask['pick']): void {
    const { sums, words, rows: list, keys } = this.#scratch;
    const { blocks, codesOffset, width } = this.#store.codePlaces;
    this.#asked = rows;
    this.#board.post({
      sumCalls: this.#store.sumCalls(rows, columns, sums, adds),
      calls: this.#calls,
      sums,
      words,
      rows: list,
      keys,
      rowCount: rows,
      pick,
      code: this.#query.code,
      terms: this.#query.boundTerms(),
      blocks,
      codesOffset,
      width,
    });
  }

  /** Whatever was begun is not wanted any more. The thread ends it alone. */
  drop(): void {
    this.#begun = null;
  }

  /** What was there before is left unused: with doubling that is less than what is used. */
  #makeRoom(): boolean {
    const { arena, capacity, areaCount } = this.#store;
    try {
      if (this.#rows < capacity) {
        const rows = Math.max(capacity, 2 * this.#rows);
        this.#scratch = this.#store.allocateScratch(rows);
        this.#rows = rows;
      }
      if (this.#areas < areaCount) {
        const areas = Math.max(areaCount, 2 * this.#areas);
        this.#calls = arena.allocate(areas * SUM_CALL_BYTES);
        this.#areas = areas;
      }
      return true;
    } catch {
      return false;
    }
  }
}

function versionOf({ eligible }: Question): number {
  return eligible?.version ?? 0;
}
