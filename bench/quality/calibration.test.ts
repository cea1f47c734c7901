import { expect, it } from 'vitest';
import { calibrationError } from './calibration.ts';

const results = (confidence: number, right: number, wrong: number) => [
  ...Array.from({ length: right }, () => ({ confidence, isRight: true })),
  ...Array.from({ length: wrong }, () => ({ confidence, isRight: false })),
];

it('is 0 if each confidence is the share of right results', () => {
  expect(calibrationError([...results(0.25, 1, 3), ...results(1, 5, 0), ...results(0, 0, 7)])).toBeCloseTo(0, 12);
  expect(calibrationError([])).toBe(0);
});

it('is the mean distance, by bin', () => {
  expect(calibrationError(results(0.9, 0, 10))).toBeCloseTo(0.9, 12);
  expect(calibrationError([...results(0.95, 5, 5), ...results(0.05, 0, 10)])).toBeCloseTo((0.45 + 0.05) / 2, 12);
});
