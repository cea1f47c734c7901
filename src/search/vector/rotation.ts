/**
 * A fixed turn of the space before signs are taken. Vectors of which a few coordinates hold most of the length, or
 * which are mostly zeros, then sketch as well as dense ones, and short vectors get more signs than they have numbers.
 */
export interface Rotation {
  /** Numbers after the turn: how many signs a sketch keeps. */
  readonly bits: number;
  readonly rounds: number;
  /** How many of the numbers one round mixes; a power of two. */
  readonly span: number;
  /** Per round and mixed number: a random sign times what keeps lengths as they are. */
  readonly turn: Float32Array;
}

/** Two rounds leave a third of 384 numbers untouched by a vector that lives in its last third; three reach all. */
const ROUNDS = 3;
/** Fewer signs than this estimate too badly to be a first pass. */
const MIN_BITS = 256;

/** The same for the same width, always: sketches are compared with queries turned in another process. */
export function rotationFor(width: number): Rotation {
  const bits = Math.max(MIN_BITS, width);
  const span = 2 ** Math.floor(Math.log2(bits));
  const turn = new Float32Array(ROUNDS * span);
  let state = 0x9e3779b9;
  for (let i = 0; i < turn.length; i++) {
    // xorshift32 (Marsaglia 2003)
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    turn[i] = (state < 0 ? -1 : 1) / Math.sqrt(span);
  }
  return { bits, rounds: ROUNDS, span, turn };
}
