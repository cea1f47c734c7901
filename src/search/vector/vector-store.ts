import { Arena, CopyingMemory } from './arena.ts';
import type { BoundTerms } from './encoded-query.ts';
import { BLOCK_ROWS, CODE_HEADER_BYTES, GROUP_ROWS, type Kernel } from './kernel.ts';
import { plainKernel } from './plain-kernel.ts';
import type { ColumnSet } from './query-sketch.ts';
import { SketchColumns } from './sketch-columns.ts';
import { openWasmKernel, openWasmMemory } from './wasm-kernel.ts';

/**
 * A fixed pseudo-random rotation, applied before signs are taken. With it, sketches of sparse vectors are as good as those
 * of dense vectors, and short vectors get more signs than they have numbers.
 */
interface Rotation {
  /** The number of signs in a sketch. */
  readonly bits: number;
  readonly rounds: number;
  /** How many numbers one round mixes; a power of two. */
  readonly span: number;
  /** For each round and mixed number: a random sign, scaled so that the rotation keeps lengths. */
  readonly factors: Float32Array;
}

/** With 384 numbers, two rounds do not spread the last third of a vector over all numbers. Three rounds do. */
const ROUNDS = 3;
/** Fewer signs are too inaccurate for a first pass. */
const MIN_BITS = 256;

/** Deterministic: the same width always gives the same rotation. */
export function rotationFor(width: number): Rotation {
  const bits = Math.max(MIN_BITS, width);
  const span = 2 ** Math.floor(Math.log2(bits));
  const factors = new Float32Array(ROUNDS * span);
  let state = 0x9e3779b9;
  for (let i = 0; i < factors.length; i++) {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    factors[i] = (state < 0 ? -1 : 1) / Math.sqrt(span);
  }
  return { bits, rounds: ROUNDS, span, factors };
}

/** SIMD processes this many int8 at a time, so rows are padded with zeros to a multiple of it. */
const WIDTH_STEP = 32;

/** Rows per scoring batch, so that their scores stay in the cache. A multiple of 32. */
export const SCORE_BATCH = 1024;

/** Addresses of working memory with one entry per row. Only `words` keeps its content between searches. */
export interface Scratch {
  /** u32: one bit per eligible row, see `EligibleRows`. */
  readonly words: number;
  /** u8: one sum per row. */
  readonly sums: number;
  /** u32: a list of rows. Never used for other data, so entries after its end are valid rows, as `boundRows` needs. */
  readonly rows: number;
  /** i16: keys of the listed rows, with padding for 32 more. */
  readonly keys: number;
}

/**
 * The vectors of all rows with their codes and sketches, in blocks of one memory. Does not know which rows are in use: a
 * row that was never written is a zero vector.
 */
export class VectorStore {
  readonly arena: Arena;
  readonly kernel: Kernel;
  readonly width: number;
  readonly rotation: Rotation;
  /** Addresses of up to SCORE_BATCH rows to score (u32), and of their scores (f64). */
  readonly scoreList: number;
  readonly scores: number;
  readonly #columns: SketchColumns;
  readonly #codesOffset: number;
  readonly #blockBytes: number;
  readonly #factors: number;
  readonly #workspace: number;
  readonly #blocks: number[] = [];
  #table = 0;
  #tableSize = 0;
  #scratch: Scratch = { words: 0, sums: 0, rows: 0, keys: 0 };

  constructor(dimensions: number, kernel?: 'wasm' | 'plain', maxBytes?: number) {
    const memory = openWasmMemory();
    this.arena = new Arena(memory ?? new CopyingMemory(), maxBytes);
    const wasm = memory === null || kernel === 'plain' ? null : openWasmKernel(memory);
    this.kernel = wasm ?? plainKernel(this.arena);
    this.width = Math.ceil(dimensions / WIDTH_STEP) * WIDTH_STEP;
    this.rotation = rotationFor(this.width);
    this.#columns = new SketchColumns(this.arena, this.rotation.bits);
    this.#codesOffset = BLOCK_ROWS * this.width * 4;
    this.#blockBytes = this.#codesOffset + BLOCK_ROWS * (this.width + CODE_HEADER_BYTES);
    this.#factors = this.arena.allocate(this.rotation.factors.byteLength);
    this.arena.f32.set(this.rotation.factors, this.#factors / 4);
    this.#workspace = this.arena.allocate(this.rotation.bits * 4);
    this.scoreList = this.arena.allocate(SCORE_BATCH * 4);
    this.scores = this.arena.allocate(SCORE_BATCH * 8);
  }

  get scratch(): Scratch {
    return this.#scratch;
  }

  /** Allocates memory for rows 0 to `rows` - 1, all of it or none. Views of the arena are invalid afterwards. */
  reserve(rows: number): void {
    const needed = Math.ceil(rows / BLOCK_ROWS);
    const missing = needed - this.#blocks.length;
    if (missing > 0) this.arena.allocateAll(() => this.#addBlocks(missing, needed));
  }

  /** Assigns nothing before the last allocation, so that the store still works if one of them throws. */
  #addBlocks(missing: number, needed: number): void {
    const first = this.arena.allocate(missing * this.#blockBytes);
    const larger = needed > this.#tableSize ? this.#newTable(Math.max(needed, this.#tableSize * 2, 4)) : null;
    this.#columns.reserve(needed * BLOCK_ROWS);
    if (larger !== null) {
      this.#table = larger.table;
      this.#tableSize = larger.size;
      this.#scratch = larger.scratch;
    }
    for (let i = 0; i < missing; i++) this.#blocks.push(first + i * this.#blockBytes);
    this.arena.u32.set(this.#blocks, this.#table / 4);
  }

  /** A larger table and scratch. The old ones stay unused: with doubling they are smaller than the new ones. */
  #newTable(size: number) {
    const rows = size * BLOCK_ROWS;
    const table = this.arena.allocate(size * 4);
    const scratch: Scratch = {
      words: this.arena.allocate(rows / 8),
      sums: this.arena.allocate(rows),
      rows: this.arena.allocate(rows * 4 + 12),
      keys: this.arena.allocate(rows * 2 + 64),
    };
    return { table, size, scratch };
  }

  /** The `width` numbers of a row. Call `derive` after writing to them. Invalid after the next `reserve`. */
  vector(row: number): Float32Array {
    const at = this.#vectorAt(row) / 4;
    return this.arena.f32.subarray(at, at + this.width);
  }

  /** Computes the code and sketch of a row from its vector. Returns whether the vector is non-zero. */
  derive(row: number): boolean {
    const { kernel, width } = this;
    const vector = this.#vectorAt(row);
    const block = this.#blocks[Math.floor(row / BLOCK_ROWS)]!;
    const code = block + this.#codesOffset + (row % BLOCK_ROWS) * (width + CODE_HEADER_BYTES);
    const { bits, rounds, span } = this.rotation;
    const { address, stride, first } = this.#columns.areaOf(row);
    kernel.quantizeRow(vector, code, width);
    kernel.sketchRow(vector, width, this.#workspace, bits, this.#factors, rounds, span, address, stride, row - first);
    return this.arena.f32[code / 4] !== 0;
  }

  /** Rotates `rotation.bits` f32 at the address `at` in place. */
  rotate(at: number): void {
    this.kernel.rotate(at, this.rotation.bits, this.#factors, this.rotation.rounds, this.rotation.span);
  }

  /** Writes the exact cosines of `count` listed rows, at most SCORE_BATCH, to `scores`. */
  scoreRows(rows: number, count: number, query: number): void {
    this.kernel.scoreRows(rows, count, this.scores, query, this.#table, this.width);
  }

  /** Writes the keys of `count` entries of `rows` from the position `from` on to the same positions of `keys`. */
  boundRows({ rows, keys }: Scratch, from: number, count: number, query: number, terms: BoundTerms): void {
    const { unit, spread, slack } = terms;
    const [at, to] = [rows + from * 4, keys + from * 2];
    this.kernel.boundRows(at, count, to, query, this.#table, this.#codesOffset, this.width, unit, spread, slack);
  }

  /** Writes the sums of the columns for rows 0 to `rows` - 1, one byte each. `accumulate`: adds to the present sums. */
  sumColumns(rows: number, { columns, tables, count }: ColumnSet, sums: number, accumulate: boolean): void {
    const { kernel } = this;
    for (const { address, first, rows: areaRows, stride } of this.#columns.areas) {
      if (first >= rows) break;
      const groups = Math.ceil(Math.min(areaRows, rows - first) / GROUP_ROWS);
      kernel.sumColumns(address, stride, groups, columns, tables, count, sums + first, accumulate ? 1 : 0);
    }
  }

  #vectorAt(row: number): number {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)]! + (row % BLOCK_ROWS) * this.width * 4;
  }
}
