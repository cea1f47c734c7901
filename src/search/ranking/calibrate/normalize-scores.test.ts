import { describe, expect, it } from 'vitest';
import { normalizeScores, scalingOf } from './normalize-scores.ts';

describe('scores for display', () => {
  it.each([
    ['NORM-1', [], []],
    ['NORM-2', [0.016], [1]],
    ['NORM-3', [0.02, 0.02, 0.02], [1, 1, 1]],
    ['NORM-4', [0.033, 0.016], [1]],
    ['NORM-5', [0.033, 0.02, 0.016], [1, 0.2353]],
  ])('%s: min-max with the documented 20 %% floor', (_, scores, expected) => {
    expect(normalizeScores(scores, { floor: 0.2 })).toEqual(expected);
  });

  it('NORM-6, NORM-7: the documented floor keeps 16 of 20 even steps, however many were asked for', () => {
    const steps = Array.from({ length: 20 }, (_, i) => 0.03 - 0.001 * i);
    const scaled = normalizeScores(steps, { floor: 0.2 });
    expect([scaled.length, scaled[0], scaled.at(-1)]).toEqual([16, 1, 0.2105]);
  });

  it('NORM-9: leaves a list with filled-up results at its end in its order, within 0 and 1', () => {
    const filledUp = [0.03, 0.029, 0.028, 0.027, 0.026, 0.025, 0.017, 0.0165, 0.024, 0.023];
    const scaled = normalizeScores(filledUp);
    expect(scaled).toEqual([1, 0.9259, 0.8519, 0.7778, 0.7037, 0.6296, 0.037, 0, 0.5556, 0.4815]);
    expect(normalizeScores(filledUp, { floor: 0.2 })).toEqual(scaled.filter((score) => score >= 0.2));
  });

  it('NORM-8: keeps the order and stays within 0 and 1', () => {
    const scores = [9, 4, 4, 3, -2];
    const scaled = normalizeScores(scores);
    expect(scaled).toHaveLength(5);
    expect([...scaled].sort((a, b) => b - a)).toEqual(scaled);
    for (const score of scaled) expect(score >= 0 && score <= 1).toBe(true);
  });

  it('NORM-10: scales by the true lowest score, not by the last one', () => {
    const scores = [0.03, 0.029, 0.028, 0.027, 0.026, 0.025, 0.017, 0.0165, 0.024, 0.023];
    const scaled = normalizeScores(scores);
    expect(scaled[7]).toBe(0);
    expect(scaled[9]).toBeGreaterThan(scaled[6]!);
    expect(new Set(scaled).size).toBe(scores.length);
  });

  it('shows a share of the best in ratio mode', () => {
    expect(normalizeScores([4, 2, 1], { mode: 'ratio' })).toEqual([1, 0.5, 0.25]);
    expect(normalizeScores([0, 0], { mode: 'ratio' })).toEqual([1, 1]);
  });

  it('scales an empty list without trouble', () => {
    expect(Number.isFinite(scalingOf([], 'minmax').factor)).toBe(true);
    expect(Number.isFinite(scalingOf([], 'ratio').factor)).toBe(true);
  });
});
