import { expect, test } from 'vitest';
import { ScoreAccumulator, type ScoredPostings } from './score-accumulator.ts';

function postingsOf(rows: readonly number[], value: number): ScoredPostings {
  return {
    rows: Uint32Array.from(rows),
    values: new Uint32Array(rows.length).fill(value),
    from: 0,
    length: rows.length,
    frequency: 1,
    max: value,
    pending: null,
  };
}

const compareRows = (a: number, b: number) => a - b;

test('sums lists by row, best first, equal sums by compareRows', () => {
  const best = new ScoreAccumulator().best([postingsOf([1, 2, 3], 10), postingsOf([2, 3, 4], 1)], 5, {
    eligible: null,
    limit: 10,
    compareRows,
  });
  expect(best).toEqual({ rows: [2, 3, 1, 4], scores: [11, 11, 10, 1] });
});

test('returns nothing for a limit of 0 and for no lists', () => {
  expect(new ScoreAccumulator().best([postingsOf([1], 1)], 2, { eligible: null, limit: 0, compareRows }).rows).toEqual(
    [],
  );
  expect(new ScoreAccumulator().best([], 2, { eligible: null, limit: 5, compareRows }).rows).toEqual([]);
});

test('works again after compareRows has thrown', () => {
  const accumulator = new ScoreAccumulator();
  const failing = () => {
    throw new Error('no order');
  };
  const lists = [postingsOf([0, 1, 2, 3], 1)];
  expect(() => accumulator.best(lists, 4, { eligible: null, limit: 2, compareRows: failing })).toThrow('no order');
  expect(accumulator.best(lists, 4, { eligible: null, limit: 2, compareRows }).scores).toEqual([1, 1]);
});

test('computes pending values of a non-essential list only for rows that other lists have found', () => {
  const computed: number[] = [];
  const pending = {
    fill: () => {
      throw new Error('filled in');
    },
    at: (place: number) => {
      computed.push(place);
      return 3;
    },
  };
  const lists = [postingsOf([1, 5], 100), { ...postingsOf([0, 1, 2, 3, 5, 8], 0), max: 9, pending }];
  expect(new ScoreAccumulator().best(lists, 9, { eligible: null, limit: 2, compareRows })).toEqual({
    rows: [1, 5],
    scores: [103, 103],
  });
  expect(computed).toEqual([1, 4]);
});
