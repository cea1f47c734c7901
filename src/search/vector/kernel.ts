/** Rows per block. Blocks never move, so growing copies nothing. kernel.wat has this number as a shift by 10. */
export const BLOCK_ROWS = 1024;
/** Rows per group in a column, 4 bits each: the first 16 in the low halves of 16 bytes, the rest in the high halves. */
export const GROUP_ROWS = 32;
/** The header before the code of a row: f32 scale, f32 residual. */
export const CODE_HEADER_BYTES = 8;
/** The key of a row that must not be found. All other keys are greater. */
export const NO_KEY = -32768;
export const MAX_KEY = 32767;
/** The scale of keys in `boundRows`. Cosines from -1 to 1 fit an i16. */
export const KEYS_PER_COSINE = 32000;
/** The maximum sum of a row in `sumColumns`, which is a byte. */
export const MAX_SUM = 255;

/**
 * The inner loops of vector search. All pointers are byte addresses in one memory, and they are not checked.
 * There are two kernels: WebAssembly with SIMD, and plain TypeScript. Their results are bit-identical, and tests compare
 * them.
 *
 * A row is stored in three encodings:
 * - the vector: `width` f32, normalized, padded with zeros.
 * - the code, quantized: a header and `width` int8. The vector is about `scale` times the code. The length of the
 *   difference is at most `residual`.
 * - the sketch: the signs of the rotated vector, `bits` of them (1 is negative), in columns of 4. The bytes of a column
 *   are contiguous over many rows, so a search can read only some columns and reads them sequentially.
 */
export interface Kernel {
  /** Writes the exact cosine of each listed row (u32) as f64, clamped to [-1, 1]. Sums are f64 in eight lanes. */
  scoreRows(rows: number, count: number, out: number, query: number, blocks: number, width: number): void;

  /**
   * Writes a key (i16) for each listed row, an upper bound of its cosine:
   * ceil(32000 * clamp(code . query * scale * unit + residual * spread + slack)). The query is i16. Codes start
   * `offset` bytes into a block.
   * Processes four rows at a time: up to three entries after `count` must be valid rows, and get keys too.
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
   * Writes a sum (u8) for every row of `groups` groups. Each listed column (u32) adds the value of the row's 4 signs in the
   * table of the column (16 bytes). `count` is a multiple of eight. Columns are `stride` bytes apart.
   * `accumulate`: 1 adds to the present sums, 0 starts from zero. No sum may exceed MAX_SUM.
   */
  sumColumns(
    sketch: number,
    stride: number,
    groups: number,
    columns: number,
    tables: number,
    count: number,
    sums: number,
    accumulate: number,
  ): void;

  /** Counts the rows with a bit in `words` and a sum of at least `low`. Checks only every `stride`-th group. */
  countSums(sums: number, words: number, groups: number, stride: number, low: number): number;

  /** Lists the rows with a bit in `words` and a sum from `low` to `high` inclusive, ascending. Returns their number. */
  collectSums(sums: number, words: number, groups: number, low: number, high: number, out: number): number;

  /** Counts the keys of at least `low`, which is above NO_KEY. Reads up to a multiple of 32: pad the keys with NO_KEY. */
  countKeys(keys: number, count: number, low: number): number;

  /** Lists the entries of `rows` with keys from `low` to `high` inclusive, in order. Pad the keys as for `countKeys`. */
  collectKeys(keys: number, count: number, low: number, high: number, rows: number, out: number): number;

  /** Computes the code of a row from its vector. */
  quantizeRow(vector: number, code: number, width: number): void;

  /**
   * Computes the sketch of a row from its vector and writes it at `position` in columns `stride` bytes apart.
   * Overwrites `bits` f32 at `work`.
   */
  sketchRow(
    vector: number,
    width: number,
    work: number,
    bits: number,
    factors: number,
    rounds: number,
    span: number,
    columns: number,
    stride: number,
    position: number,
  ): void;

  /**
   * Rotates `bits` f32 in place. Each round multiplies `span` numbers (a power of two) by its own `span` factors and then
   * applies a Walsh-Hadamard transform: to the first numbers in even rounds, to the last numbers in odd rounds.
   */
  rotate(at: number, bits: number, factors: number, rounds: number, span: number): void;
}
