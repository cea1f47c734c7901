import type { Random } from './random.ts';

export const DIMENSIONS = 384; // of the default model

/** Topics lie in fields, as real subjects do. */
const TOPICS_PER_FIELD = 15;

/**
 * How many directions the members of a topic differ in. Sentence embeddings have few (an intrinsic dimension of some
 * tens): with noise in all 384 every member of a topic would be equally far from every other and no search would make sense.
 */
const DIRECTIONS = 24;

/** Lengths of the parts of a vector, relative to its topic's center. */
const OWNER_LENGTH = 0.6;
const MEMBER_LENGTH = 0.5;
const NOISE_LENGTH = 0.3;
const QUERY_NOISE_LENGTH = 0.45;

interface Cluster {
  readonly center: Float32Array;
  /** `DIRECTIONS` vectors of falling length, one after the other. */
  readonly directions: Float32Array;
}

/** A mixture of flat Gaussian clusters on the sphere: each topic is one. */
export class VectorSpace {
  readonly #clusters: readonly Cluster[];

  constructor(random: Random, topics: number) {
    const fields = Array.from({ length: Math.ceil(topics / TOPICS_PER_FIELD) }, () => isotropic(random, 1));
    this.#clusters = Array.from({ length: topics }, (_, topic) => {
      const center = isotropic(random, 0.8);
      const field = fields[topic % fields.length]!;
      for (let i = 0; i < DIMENSIONS; i++) center[i] = center[i]! + 0.6 * field[i]!;
      return { center: normalized(center), directions: fallingDirections(random) };
    });
  }

  /** Where an owner (a server with its tools, say) stands within its topic. */
  owner(random: Random): Float32Array {
    return place(random, OWNER_LENGTH);
  }

  /** A vector of the topic near its owner; written into `into`, of length 1. */
  member(random: Random, topic: number, owner: Float32Array, into: Float32Array): void {
    const { center, directions } = this.#clusters[topic]!;
    const own = place(random, MEMBER_LENGTH);
    const noise = NOISE_LENGTH / Math.sqrt(DIMENSIONS);
    for (let i = 0; i < DIMENSIONS; i++) into[i] = center[i]! + noise * random.gaussian();
    for (let d = 0; d < DIRECTIONS; d++) {
      const along = owner[d]! + own[d]!;
      const start = d * DIMENSIONS;
      for (let i = 0; i < DIMENSIONS; i++) into[i] = into[i]! + along * directions[start + i]!;
    }
    normalized(into);
  }

  /** A question about a unit: its vector, disturbed. */
  question(random: Random, about: Float32Array): Float32Array {
    const noise = QUERY_NOISE_LENGTH / Math.sqrt(DIMENSIONS);
    return normalized(about.map((x) => x + noise * random.gaussian()));
  }
}

function place(random: Random, length: number): Float32Array {
  return Float32Array.from({ length: DIRECTIONS }, () => length * random.gaussian());
}

/** Directions whose squared lengths add up to about 1. */
function fallingDirections(random: Random): Float32Array {
  const lengths = Array.from({ length: DIRECTIONS }, (_, d) => 0.9 ** d);
  const total = Math.sqrt(lengths.reduce((sum, length) => sum + length * length, 0));
  const all = new Float32Array(DIRECTIONS * DIMENSIONS);
  lengths.forEach((length, d) => {
    all.set(isotropic(random, length / total), d * DIMENSIONS);
  });
  return all;
}

function isotropic(random: Random, length: number): Float32Array {
  const vector = normalized(Float32Array.from({ length: DIMENSIONS }, () => random.gaussian()));
  return vector.map((x) => x * length);
}

function normalized(vector: Float32Array): Float32Array {
  let square = 0;
  for (const x of vector) square += x * x;
  const scale = 1 / Math.sqrt(square);
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! * scale;
  return vector;
}
