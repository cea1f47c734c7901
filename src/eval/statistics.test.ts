import { describe, expect, it } from 'vitest';
import { ndcg, queryMetrics } from './metrics.ts';
import { bootstrapInterval, groupedInterval, pairedTest } from './statistics.ts';

const relevant = (entries: Record<string, number>) => new Map(Object.entries(entries));

describe('the metrics', () => {
  it('MS-19: count a query without relevant documents as answered, a miss as 0, rank 2 by its discount', () => {
    expect(ndcg(['a'], relevant({}))).toBe(1);
    expect(ndcg(['a', 'b'], relevant({ z: 1 }))).toBe(0);
    expect(ndcg(['x', 'a'], relevant({ a: 1 }))).toBeCloseTo(Math.log2(2) / Math.log2(3), 12);
  });

  it('give graded relevance its gain', () => {
    const judged = relevant({ a: 2, b: 1 });
    expect(ndcg(['a', 'b'], judged)).toBe(1);
    expect(ndcg(['b', 'a'], judged)).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)), 12);
  });

  it('look only as far as they say', () => {
    const ranked = Array.from({ length: 20 }, (_, i) => `d${i}`);
    const metrics = queryMetrics(ranked, relevant({ d6: 1, d11: 1, d0: 0 }));
    expect(metrics).toMatchObject({ mrr: 1 / 7, 'recall@5': 0, 'recall@10': 0.5, 'hit@1': 0, zero_hit: 0 });
    expect(queryMetrics(ranked, relevant({ d11: 1 })).zero_hit).toBe(1);
    expect(queryMetrics([], relevant({ a: 1 }))).toMatchObject({ 'ndcg@10': 0, mrr: 0, zero_hit: 1 });
  });
});

describe('the statistics', () => {
  const noise = (n: number, shift: number) => Array.from({ length: n }, (_, i) => ((i * 37) % 101) / 101 + shift);

  it('bracket the mean, closer with more queries, and the same each time', () => {
    const few = bootstrapInterval(noise(30, 0));
    const many = bootstrapInterval(noise(3000, 0));
    expect(few[0]).toBeLessThan(0.5);
    expect(few[1]).toBeGreaterThan(0.5);
    expect(many[1] - many[0]).toBeLessThan(few[1] - few[0]);
    expect(bootstrapInterval(noise(30, 0))).toEqual(few);
    expect(bootstrapInterval([])).toEqual([0, 0]);
  });

  it('resample whole groups, so that alike queries do not count as many', () => {
    const values = noise(30, 0);
    expect(groupedInterval(values.map((value) => [value]))).toEqual(bootstrapInterval(values));
    const width = ([low, high]: readonly [number, number]) => high - low;
    const repeated = values.map((value) => Array.from({ length: 10 }, () => value));
    expect(width(groupedInterval(repeated))).toBeCloseTo(width(bootstrapInterval(values)), 10);
    expect(width(bootstrapInterval(repeated.flat()))).toBeLessThan(width(groupedInterval(repeated)) / 2);
    expect(groupedInterval([[], [0.5, 0.5], []])).toEqual([0.5, 0.5]);
    expect(groupedInterval([[]])).toEqual([0, 0]);
  });

  it('tell a real difference from none', () => {
    const a = noise(200, 0);
    expect(pairedTest(a, a)).toEqual({ difference: 0, p: 1 });
    expect(
      pairedTest(
        a,
        a.map((value) => value + 0.05),
      ).p,
    ).toBeLessThan(0.01);
    const coin = a.map((value, i) => value + (i % 2 === 0 ? 0.05 : -0.05));
    expect(pairedTest(a, coin).p).toBeGreaterThan(0.1);
  });
});
