import { describe, expect, it } from 'vitest';
import { fitLogistic, logisticEstimate, type Observation } from './logistic-fit.ts';

/** Each case twice, true and false, as often as its chance says. */
function observationsOf(weights: readonly number[], factorOf: (x: number) => number, offset = 0): Observation[] {
  const observations: Observation[] = [];
  for (let x = -2; x <= 2; x += 0.25) {
    for (const z of [0, 1, 3]) {
      const factor = factorOf(x);
      const facts = [x, z];
      const chance = factor * logisticEstimate(weights, facts, offset);
      observations.push({ facts, isTrue: true, weight: chance, offset, factor });
      observations.push({ facts, isTrue: false, weight: 1 - chance, offset, factor });
    }
  }
  return observations;
}

describe('fitLogistic', () => {
  it('finds the weights that the cases were made with', () => {
    const cases = [
      { weights: [-0.5, 2, 0.3], factorOf: () => 1, offset: 0 },
      { weights: [0.4, 1.5, -0.7], factorOf: (x: number) => 0.6 + 0.1 * x, offset: 0 },
      { weights: [1, -0.8, 0.2], factorOf: () => 0.9, offset: -1.3 },
    ];
    for (const { weights, factorOf, offset } of cases) {
      const fitted = fitLogistic(observationsOf(weights, factorOf, offset));
      for (const [i, weight] of weights.entries()) expect(fitted[i]).toBeCloseTo(weight, 3);
    }
  });

  it('gives a fact that never differs no effect, and ends if the cases are told apart perfectly', () => {
    const one = { weight: 1, offset: 0, factor: 1 };
    const constant = [0, 1, 2, 3].map((x) => ({ ...one, facts: [x % 2, 0], isTrue: x > 1 }));
    expect(fitLogistic(constant).map((weight) => Math.round(weight * 1e6) / 1e6 + 0)).toEqual([0, 0, 0]);
    const apart = [-2, -1, 1, 2].map((x) => ({ ...one, facts: [x], isTrue: x > 0 }));
    expect(logisticEstimate(fitLogistic(apart), [1])).toBeGreaterThan(0.99);
  });
});
