/** Rows share a block, and blocks never move: growing costs no copying. kernel.wat knows this as a shift by 10. */
export const BLOCK_ROWS = 1024;
/** Rows whose sketches lie interleaved, so that one look-up serves all of them. */
export const GROUP_ROWS = 32;
/** In front of a row's codes: f32 scale, f32 residual, 8 bytes unused. */
export const CODE_HEADER_BYTES = 16;
/** The key of a row that must not be found. Every other key is greater. */
export const NO_KEY = -32768;
export const HIGHEST_KEY = 32767;
/** Keys per unit of cosine in `boundRows`: the finest that leaves room for -1 to 1. */
export const BOUND_KEYS = 32000;
/** Keys per unit of cosine in `estimateGroups`: estimates may overshoot 1. */
export const SKETCH_KEYS = 16000;
/** The largest value in a look-up table of `estimateGroups`: four of them add up in a byte. */
export const TABLE_LEVELS = 63;

/**
 * The inner loops of the vector leg. All pointers are bytes into one memory, and none of the calls checks them.
 * There are two of these, WebAssembly with SIMD and plain TypeScript; they give the same bits, which a test proves.
 *
 * A block holds three forms of each of its rows, one form after the other:
 * - the vector: `width` f32, normalised, zero past the dimensions;
 * - the code: a header and `width` int8; the vector is about `scale` times the code, off by at most `residual` in length;
 * - the sketch: of the rotated vector only the signs, `bits` of them (1 is negative), and a factor. Of each group of 32
 *   rows first the lowest 8 bits of every row, then the next 8 bits and so on, last the 32 factors as f32.
 */
export interface Kernel {
  /** Writes, for each listed row (u32), its exact cosine as f64: f64 sums in eight lanes, cut to [-1, 1]. */
  scoreRows(rows: number, count: number, out: number, query: number, blocks: number, width: number): void;

  /**
   * Writes, for each listed row, the key (i16) of an upper bound of its cosine:
   * ceil(32000 * clamp(code . query * scale * unit + residual * spread + slack)). The query is i16.
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
   * Writes a key for every row of `groups` groups: (sum * unit + base) * factor in f32, cut to an integer, where the sum
   * takes one value from `table` for every 4 bits; NO_KEY where the row's bit in `words` is not set. `unit` and `base`
   * must be exact in f32.
   */
  estimateGroups(
    sketch: number,
    groups: number,
    words: number,
    keys: number,
    table: number,
    bits: number,
    unit: number,
    base: number,
  ): void;

  /** How many keys reach `low`, which is above NO_KEY. Reads up to the next multiple of 32: fill that up with NO_KEY. */
  countKeys(keys: number, count: number, low: number): number;

  /**
   * Lists, in order, the keys from `low` to `high`, both included: as the entry of `rows` at the key's position, or as
   * the position when `rows` is 0. Reads like `countKeys`.
   */
  collectKeys(keys: number, count: number, low: number, high: number, rows: number, out: number): number;

  /** Derives a row's code from its vector. */
  quantiseRow(vector: number, code: number, width: number): void;

  /** Derives a row's sketch from its vector; `work` holds `bits` f32 and is overwritten. */
  sketchRow(
    vector: number,
    width: number,
    work: number,
    bits: number,
    turn: number,
    rounds: number,
    span: number,
    group: number,
    lane: number,
  ): void;

  /**
   * Turns `bits` f32 in place. Each round multiplies by its own `bits` numbers of `turn`, then mixes `span` numbers (a
   * power of two) by a Walsh-Hadamard transform: the first ones in even rounds, the last ones in odd rounds.
   */
  rotate(at: number, bits: number, turn: number, rounds: number, span: number): void;
}
