import { Arena, CopyingMemory } from './arena.ts';
import { BLOCK_ROWS, CODE_HEADER_BYTES, GROUP_ROWS, type Kernel } from './kernel.ts';
import type { SummedRows } from './pick-rows.ts';
import { PlainKernel } from './plain-kernel.ts';
import type { BoundTerms } from './query-forms.ts';
import type { ColumnSet } from './query-sketch.ts';
import { type Rotation, rotationFor } from './rotation.ts';
import { SketchColumns } from './sketch-columns.ts';
import { openWasmKernel, openWasmMemory } from './wasm-kernel.ts';

/** SIMD takes this many int8 at a time, so rows are padded with zeros to a multiple of it. */
const WIDTH_STEP = 32;

/** At most this many rows are scored in one go: then their scores stay in the cache. A multiple of 32. */
export const SCORED_ROWS = 1024;

/** Room to work in, one entry for each row there may be. Addresses. Between two searches only `words` keeps its content. */
export interface Scratch extends SummedRows {
  /** u32: one bit for each row that may be found: see `EligibleRows`. */
  readonly words: number;
  /** u8: one sum for each row. */
  readonly sums: number;
  /** u32: a list of rows. Never holds anything else, so what lies past its end is a row too, as `boundRows` needs it. */
  readonly rows: number;
  /** i16: keys of the listed rows, and room for 32 more. */
  readonly keys: number;
}

/**
 * The rows' vectors with their derived forms, in blocks of one memory. Knows nothing of which rows are in use: a row
 * that was never written is a zero vector.
 */
export class VectorStore {
  readonly arena: Arena;
  readonly kernel: Kernel;
  readonly width: number;
  readonly rotation: Rotation;
  /** u32: up to SCORED_ROWS rows to score exactly, and f64: their scores. */
  readonly picked: number;
  readonly scores: number;
  readonly #columns: SketchColumns;
  readonly #codesOffset: number;
  readonly #blockBytes: number;
  readonly #turn: number;
  readonly #work: number;
  readonly #blocks: number[] = [];
  #table = 0;
  #tableSize = 0;
  #scratch: Scratch = { words: 0, sums: 0, rows: 0, keys: 0 };

  constructor(dimensions: number, kernel?: 'wasm' | 'plain', maxBytes?: number) {
    const memory = openWasmMemory();
    this.arena = new Arena(memory ?? new CopyingMemory(), maxBytes);
    const wasm = memory === null || kernel === 'plain' ? null : openWasmKernel(memory);
    this.kernel = wasm ?? new PlainKernel(this.arena);
    this.width = Math.ceil(dimensions / WIDTH_STEP) * WIDTH_STEP;
    this.rotation = rotationFor(this.width);
    this.#columns = new SketchColumns(this.arena, this.rotation.bits);
    this.#codesOffset = BLOCK_ROWS * this.width * 4;
    this.#blockBytes = this.#codesOffset + BLOCK_ROWS * (this.width + CODE_HEADER_BYTES);
    this.#turn = this.arena.allocate(this.rotation.turn.byteLength);
    this.arena.f32.set(this.rotation.turn, this.#turn / 4);
    this.#work = this.arena.allocate(this.rotation.bits * 4);
    this.picked = this.arena.allocate(SCORED_ROWS * 4);
    this.scores = this.arena.allocate(SCORED_ROWS * 8);
  }

  /** Rows there is room for. */
  get capacity(): number {
    return this.#blocks.length * BLOCK_ROWS;
  }

  get scratch(): Scratch {
    return this.#scratch;
  }

  /** Makes room for rows 0 to `rows` - 1. Views of the arena are stale afterwards. */
  reserve(rows: number): void {
    const wanted = Math.ceil(rows / BLOCK_ROWS);
    const missing = wanted - this.#blocks.length;
    if (missing <= 0) return;
    const first = this.arena.allocate(missing * this.#blockBytes);
    this.#columns.reserve(wanted * BLOCK_ROWS);
    if (wanted > this.#tableSize) this.#enlarge(Math.max(wanted, this.#tableSize * 2, 4));
    for (let i = 0; i < missing; i++) this.#blocks.push(first + i * this.#blockBytes);
    this.arena.u32.set(this.#blocks, this.#table / 4);
  }

  /** What was there before is left unused: with doubling that is less than what is used, and untouched pages are free. */
  #enlarge(blocks: number): void {
    const entries = blocks * BLOCK_ROWS;
    const table = this.arena.allocate(blocks * 4);
    const scratch = this.#allocateScratch(entries);
    // Nothing changes before all of it is there: a growth that fails leaves a store that works.
    this.#table = table;
    this.#tableSize = blocks;
    this.#scratch = scratch;
  }

  #allocateScratch(rows: number): Scratch {
    return {
      words: this.arena.allocate(rows / 8),
      sums: this.arena.allocate(rows),
      rows: this.arena.allocate(rows * 4 + 12),
      keys: this.arena.allocate(rows * 2 + 64),
    };
  }

  /** The row's `width` numbers, to read or to write; after writing call `derive`. Stale after the next `reserve`. */
  vector(row: number): Float32Array {
    const at = this.#vectorAt(row) / 4;
    return this.arena.f32.subarray(at, at + this.width);
  }

  /** The vectors of rows from `row` up to `end` or the end of the row's block, whichever comes first. */
  run(row: number, end: number): Float32Array {
    const rows = Math.min(end - row, BLOCK_ROWS - (row % BLOCK_ROWS));
    const at = this.#vectorAt(row) / 4;
    return this.arena.f32.subarray(at, at + rows * this.width);
  }

  /** Brings the row's other forms up to date with its vector. Returns whether the vector has a direction. */
  derive(row: number): boolean {
    const { kernel, width } = this;
    const vector = this.#vectorAt(row);
    const block = this.#blocks[Math.floor(row / BLOCK_ROWS)]!;
    const code = block + this.#codesOffset + (row % BLOCK_ROWS) * (width + CODE_HEADER_BYTES);
    const { bits, rounds, span } = this.rotation;
    const { address, run, first } = this.#columns.areaOf(row);
    kernel.quantizeRow(vector, code, width);
    kernel.sketchRow(vector, width, this.#work, bits, this.#turn, rounds, span, address, run, row - first);
    return this.arena.f32[code / 4] !== 0;
  }

  /** Turns a vector as sketches are turned; `at` holds `rotation.bits` f32. */
  rotate(at: number): void {
    this.kernel.rotate(at, this.rotation.bits, this.#turn, this.rotation.rounds, this.rotation.span);
  }

  /** Exact cosines of `count` listed rows, at most SCORED_ROWS, into `scores`. */
  score(rows: number, count: number, query: number): void {
    this.kernel.scoreRows(rows, count, this.scores, query, this.#table, this.width);
  }

  /** Keys of upper bounds for the entries `from` to `end` - 1 of `rows` into `keys`. */
  bound({ rows, keys }: Scratch, from: number, end: number, query: number, terms: BoundTerms): void {
    const { unit, spread, slack } = terms;
    this.kernel.boundRows(
      rows + from * 4,
      end - from,
      keys + from * 2,
      query,
      this.#table,
      this.#codesOffset,
      this.width,
      unit,
      spread,
      slack,
    );
  }

  /** Sums of the columns for rows 0 to `rows` - 1, one byte each; `adds` to those that are there. */
  sum(rows: number, set: ColumnSet, sums: number, adds: boolean): void {
    for (const { address, first, rows: most, run } of this.#columns.areas) {
      if (first >= rows) break;
      const groups = Math.ceil(Math.min(most, rows - first) / GROUP_ROWS);
      this.kernel.sumColumns(address, run, groups, set.columns, set.tables, set.count, sums + first, adds ? 1 : 0);
    }
  }

  #vectorAt(row: number): number {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)]! + (row % BLOCK_ROWS) * this.width * 4;
  }
}
