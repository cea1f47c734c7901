/**
 * A fixed pseudo-random rotation, applied before signs are taken. With it, sketches of sparse vectors are as good as those
 * of dense vectors, and short vectors get more signs than they have numbers.
 */
export interface Rotation {
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
