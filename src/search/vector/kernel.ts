/** Rows share a block, and blocks never move: growing costs no copying. kernel.wat knows this as a shift by 10. */
export const BLOCK_ROWS = 1024;
/** Rows whose signs lie side by side in a column, 4 bits each: the low halves of 16 bytes, then the high halves. */
export const GROUP_ROWS = 32;
/** In front of a row's codes: f32 scale, f32 residual. */
export const CODE_HEADER_BYTES = 8;
/** The key of a row that must not be found. Every other key is greater. */
export const NO_KEY = -32768;
export const HIGHEST_KEY = 32767;
/** Keys per unit of cosine in `boundRows`: the finest that leaves room for -1 to 1. */
export const BOUND_KEYS = 32000;
/** What the sum of a row in `sumColumns` is at most: it is a byte. */
export const HIGHEST_SUM = 255;

/**
 * The inner loops of the vector leg. All pointers are bytes into one memory, and none of the calls checks them.
 * There are two of these, WebAssembly with SIMD and plain TypeScript; they give the same bits, which a test proves.
 *
 * A row has three forms:
 * - the vector: `width` f32, normalized, zero past the dimensions;
 * - the code: a header and `width` int8; the vector is about `scale` times the code, off by at most `residual` in length;
 * - the sketch: of the rotated vector only the signs, `bits` of them (1 is negative), in columns of 4. Each column is a run
 *   of bytes over many rows, so that a search reads as few columns as it likes, and reads them straight through.
 */
export interface Kernel {
  /** Writes, for each listed row (u32), its exact cosine as f64: f64 sums in eight lanes, cut to [-1, 1]. */
  scoreRows(rows: number, count: number, out: number, query: number, blocks: number, width: number): void;

  /**
   * Writes, for each listed row, the key (i16) of an upper bound of its cosine:
   * ceil(32000 * clamp(code . query * scale * unit + residual * spread + slack)). The query is i16. Codes start
   * `offset` bytes into a block.
   * Works on four rows at a time: up to three entries past `count` must be rows too, and get keys.
   */
  boundRows(
    rows: number,
    count: number,
    keys: number,
    query: number,
    blocks: number,
    offset: number,
    width: number,
    unit: number,
    spread: number,
    slack: number,
  ): void;

  /**
   * Writes a sum (u8) for every row of `groups` groups: of each of the `count` listed columns (u32, a multiple of eight)
   * its value in the column's table, 16 bytes. With `adds` of 1 it adds to what is there, with 0 it starts afresh. Columns are
   * `run` bytes apart. No sum may pass HIGHEST_SUM.
   */
  sumColumns(
    sketch: number,
    run: number,
    groups: number,
    columns: number,
    tables: number,
    count: number,
    sums: number,
    adds: number,
  ): void;

  /** How many sums reach `low` among rows whose bit in `words` is set, looking at every `stride`th group only. */
  countSums(sums: number, words: number, groups: number, stride: number, low: number): number;

  /** Lists, in rising order, the rows whose bit is set and whose sums are from `low` to `high`, both included. */
  collectSums(sums: number, words: number, groups: number, low: number, high: number, out: number): number;

  /** How many keys reach `low`, which is above NO_KEY. Reads up to the next multiple of 32: fill that up with NO_KEY. */
  countKeys(keys: number, count: number, low: number): number;

  /** Lists, in order, the entries of `rows` whose keys are from `low` to `high`, both included. Reads like `countKeys`. */
  collectKeys(keys: number, count: number, low: number, high: number, rows: number, out: number): number;

  /** Derives a row's code from its vector. */
  quantizeRow(vector: number, code: number, width: number): void;

  /** Derives a row's sketch from its vector, at a place in columns `run` bytes apart; `work` holds `bits` f32 to overwrite. */
  sketchRow(
    vector: number,
    width: number,
    work: number,
    bits: number,
    turn: number,
    rounds: number,
    span: number,
    columns: number,
    run: number,
    place: number,
  ): void;

  /**
   * Turns `bits` f32 in place. Each round multiplies by its own `span` numbers of `turn`, then mixes `span` numbers (a
   * power of two) by a Walsh-Hadamard transform: the first ones in even rounds, the last ones in odd rounds.
   */
  rotate(at: number, bits: number, turn: number, rounds: number, span: number): void;
}
