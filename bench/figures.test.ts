import { describe, expect, it } from 'vitest';
import { middleFigures, type SearchFigures, timingOf } from './figures.ts';

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

  it('refuses to summarize nothing', () => {
    expect(() => timingOf([])).toThrow(RangeError);
  });
});

describe('middleFigures', () => {
  const round = (p50: number, openMs: number | null = 1, rssBytes = 1): SearchFigures => {
    const timing = { p50, p95: p50, p99: p50, mean: p50, count: 1 };
    const rest = { openMs, firstAnswerMs: 1, rssBytes, recall: 1, cpuMs: 1 };
    return { ...rest, hybrid: timing, keyword: timing, vector: timing };
  };

  it.each([
    [[2], 2],
    [[5, 1, 3], 3],
    [[10, 9, 100], 10],
    [[4, 2], 2],
  ])('of %j takes %d', (p50s, expected) => {
    expect(middleFigures(p50s.map((p50) => round(p50)))?.hybrid.p50).toBe(expected);
  });

  it('takes each figure for itself, and leaves out what is not there', () => {
    const rounds = [round(1, 300, 20), round(2, 100, 30), round(3, 200, 10)];
    expect(middleFigures(rounds)).toMatchObject({ openMs: 200, rssBytes: 20, hybrid: { p50: 2 }, vector: { p95: 2 } });
    expect(middleFigures([round(1, null), round(2, null)])?.openMs).toBeNull();
    expect(middleFigures([])).toBeUndefined();
  });
});
