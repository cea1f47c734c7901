/** Neighbors that pull a point. UMAP takes 15 by default (McInnes et al. 2018); catalogs have smaller groups than that. */
const NEIGHBORS = 10;
const EPOCHS = 120;
/** Points that push one point in each epoch, per neighbor that pulls. */
const PUSHES = 3;
const MAX_STEP = 4;
/** The width of the first layout. */
const START_SIZE = 10;
const POWER_ROUNDS = 40;
/** Points of one slice: a few milliseconds. */
const SLICE = 25;
const SEED = 20_260_101;

/**
 * Places points in two dimensions, so that those with similar features are near to each other: the two main axes of the features
 * first, then rounds in which the nearest neighbors pull and others push, as UMAP does. The same features give the same places.
 * It yields between slices of a few milliseconds. The result has x and y of each point, from 0 to 1.
 */
export function* layOut(features: Float32Array, dimensions: number): Generator<void, Float64Array> {
  const count = dimensions === 0 ? 0 : features.length / dimensions;
  const centered = center(features, dimensions, count);
  yield;
  const places = yield* startOf(centered, dimensions, count);
  const neighbors = yield* nearestOf(centered, dimensions, count);
  const random = seeded(SEED);
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = 1 - epoch / EPOCHS;
    for (let i = 0; i < count; i++) {
      if (i % (SLICE * 10) === 0) yield;
      move(places, i, neighbors[i]!, rate, random, count);
    }
  }
  return fitted(places, count);
}

function center(features: Float32Array, dimensions: number, count: number): Float64Array {
  const centered = Float64Array.from(features);
  for (let d = 0; d < dimensions; d++) {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += centered[i * dimensions + d]!;
    for (let i = 0; i < count; i++) centered[i * dimensions + d]! -= sum / count;
  }
  return centered;
}

/** The coordinates on the two main axes, by power iteration. */
function* startOf(centered: Float64Array, dimensions: number, count: number): Generator<void, Float64Array> {
  const random = seeded(SEED);
  const places = new Float64Array(2 * count);
  const axes: Float64Array[] = [];
  for (let axis = 0; axis < 2; axis++) {
    let direction = Float64Array.from({ length: dimensions }, () => random() - 0.5);
    for (let round = 0; round < POWER_ROUNDS; round++) {
      yield;
      const next = new Float64Array(dimensions);
      for (let i = 0; i < count; i++) {
        const along = dot(centered, i * dimensions, direction);
        for (let d = 0; d < dimensions; d++) next[d]! += along * centered[i * dimensions + d]!;
      }
      for (const known of axes) {
        const shared = dot(next, 0, known);
        for (let d = 0; d < dimensions; d++) next[d]! -= shared * known[d]!;
      }
      const length = Math.sqrt(dot(next, 0, next));
      // All points are at one place along this axis.
      if (length < 1e-12) break;
      direction = next.map((value) => value / length);
    }
    axes.push(direction);
    for (let i = 0; i < count; i++) places[2 * i + axis] = dot(centered, i * dimensions, direction);
  }
  const largest = places.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12);
  // Two points at the same place would never part.
  return places.map((value) => (value / largest) * (START_SIZE / 2) + (random() - 0.5) * 1e-3);
}

function dot(values: Float64Array, from: number, other: Float64Array): number {
  let sum = 0;
  for (let d = 0; d < other.length; d++) sum += values[from + d]! * other[d]!;
  return sum;
}

/** The nearest neighbors of each point, nearest first, by comparing all. */
function* nearestOf(
  centered: Float64Array,
  dimensions: number,
  count: number,
): Generator<void, readonly (readonly number[])[]> {
  const nearest: (readonly number[])[] = [];
  const size = Math.min(NEIGHBORS, count - 1);
  for (let i = 0; i < count; i++) {
    if (i % SLICE === 0) yield;
    const found: { readonly at: number; readonly distance: number }[] = [];
    for (let j = 0; j < count; j++) {
      if (j === i) continue;
      let distance = 0;
      for (let d = 0; d < dimensions; d++) {
        const difference = centered[i * dimensions + d]! - centered[j * dimensions + d]!;
        distance += difference * difference;
      }
      if (found.length === size && distance >= found[size - 1]!.distance) continue;
      let at = found.length;
      while (at > 0 && found[at - 1]!.distance > distance) at--;
      found.splice(at, 0, { at: j, distance });
      if (found.length > size) found.pop();
    }
    nearest.push(found.map(({ at }) => at));
  }
  return nearest;
}

/** One step of a point: each neighbor pulls it, and some other points push it. The curve is 1 / (1 + distance²). */
function move(
  places: Float64Array,
  i: number,
  neighbors: readonly number[],
  rate: number,
  random: () => number,
  count: number,
): void {
  for (const j of neighbors) {
    const pull = -2 / (1 + squared(places, i, j));
    step(places, i, j, pull, rate);
    step(places, j, i, pull, rate);
    for (let push = 0; push < PUSHES; push++) {
      const other = Math.floor(random() * count);
      if (other === i) continue;
      const distance = squared(places, i, other);
      step(places, i, other, 2 / ((0.01 + distance) * (1 + distance)), rate);
    }
  }
}

function squared(places: Float64Array, i: number, j: number): number {
  const x = places[2 * i]! - places[2 * j]!;
  const y = places[2 * i + 1]! - places[2 * j + 1]!;
  return x * x + y * y;
}

function step(places: Float64Array, i: number, j: number, force: number, rate: number): void {
  for (let axis = 0; axis < 2; axis++) {
    const wanted = force * (places[2 * i + axis]! - places[2 * j + axis]!);
    places[2 * i + axis]! += rate * Math.max(-MAX_STEP, Math.min(MAX_STEP, wanted));
  }
}

/** From 0 to 1, with the same scale for both axes. */
function fitted(places: Float64Array, count: number): Float64Array {
  const ranges = [0, 1].map((axis) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < count; i++) {
      low = Math.min(low, places[2 * i + axis]!);
      high = Math.max(high, places[2 * i + axis]!);
    }
    return { middle: (low + high) / 2, size: high - low };
  });
  const size = Math.max(1e-9, ...ranges.map((range) => range.size));
  return places.map((value, at) => (count === 1 ? 0.5 : (value - ranges[at % 2]!.middle) / size + 0.5));
}

/** Random numbers with a fixed seed (Mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
