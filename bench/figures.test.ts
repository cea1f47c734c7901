import { describe, expect, it } from 'vitest';
import { timingOf } from './figures.ts';

describe('timingOf', () => {
  it('gives nearest-rank percentiles, whatever the order', () => {
    const durations = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(timingOf(durations)).toEqual({ p50: 50, p95: 95, p99: 99, mean: 50.5, count: 100 });
  });

  it('gives the only duration for every percentile', () => {
    expect(timingOf([3])).toEqual({ p50: 3, p95: 3, p99: 3, mean: 3, count: 1 });
  });

  it('sorts by number and not by text', () => {
    expect(timingOf([9, 10, 100]).p50).toBe(10);
  });

  it('refuses to summarise nothing', () => {
    expect(() => timingOf([])).toThrow(RangeError);
  });
});
