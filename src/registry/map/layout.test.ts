import { expect, it } from 'vitest';
import { layOut } from './layout.ts';

const DIMENSIONS = 6;
const PER_GROUP = 20;

/** Three groups of points, each around a corner of its own. */
function grouped(): Float32Array {
  const features = new Float32Array(3 * PER_GROUP * DIMENSIONS);
  for (let i = 0; i < 3 * PER_GROUP; i++) {
    for (let d = 0; d < DIMENSIONS; d++) {
      const noise = (((i * 37 + d * 11) % 101) / 101) * 0.1;
      features[i * DIMENSIONS + d] = (d === i % 3 ? 1 : 0) + noise;
    }
  }
  return features;
}

function placed(features: Float32Array, dimensions = DIMENSIONS): Float64Array {
  const work = layOut(features, dimensions);
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}

it('puts the nearest points of each point into its group', () => {
  const places = placed(grouped());
  const distance = (a: number, b: number) =>
    Math.hypot(places[2 * a]! - places[2 * b]!, places[2 * a + 1]! - places[2 * b + 1]!);
  const all = Array.from({ length: 3 * PER_GROUP }, (_, i) => i);
  for (const a of all) {
    const nearest = all.filter((b) => b !== a).sort((b, c) => distance(a, b) - distance(a, c));
    expect(nearest.slice(0, 5).map((b) => b % 3)).toEqual(Array(5).fill(a % 3));
  }
});

it('gives the same places for the same features, from 0 to 1', () => {
  const places = placed(grouped());
  expect(placed(grouped())).toEqual(places);
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...places)).toBeLessThanOrEqual(1);
  // It fills its longer side.
  const sides = [0, 1].map((axis) => {
    const own = places.filter((_, at) => at % 2 === axis);
    return Math.max(...own) - Math.min(...own);
  });
  expect(Math.max(...sides)).toBeCloseTo(1, 6);
});

it('takes no point, one, two, and points that are all the same', () => {
  expect([...placed(new Float32Array(0), 0)]).toEqual([]);
  expect([...placed(new Float32Array([1, 2]), 2)]).toEqual([0.5, 0.5]);
  for (const features of [new Float32Array([1, 2, 3, 4]), new Float32Array(40).fill(1)]) {
    expect(placed(features, 2).every((value) => value >= 0 && value <= 1)).toBe(true);
  }
});

it('yields between slices', () => {
  const work = layOut(grouped(), DIMENSIONS);
  let slices = 0;
  while (work.next().done !== true) slices += 1;
  expect(slices).toBeGreaterThan(100);
});
