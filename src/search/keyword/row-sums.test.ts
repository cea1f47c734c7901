import { expect, test } from 'vitest';
import { RowSums, type Stream } from './row-sums.ts';

function streamOf(rows: readonly number[], value: number): Stream {
  return {
    rows: Uint32Array.from(rows),
    rowsFrom: 0,
    values: new Uint32Array(rows.length).fill(value),
    valuesFrom: 0,
    length: rows.length,
    times: 1,
    max: value,
    pending: null,
  };
}

const compareRows = (a: number, b: number) => a - b;

test('adds streams up row by row, best first, equal sums by the given order', () => {
  const best = new RowSums().best([streamOf([1, 2, 3], 10), streamOf([2, 3, 4], 1)], 5, {
    eligible: null,
    limit: 10,
    compareRows,
  });
  expect(best).toEqual({ rows: [2, 3, 1, 4], scores: [11, 11, 10, 1] });
});

test('a limit of 0 and no streams give nothing', () => {
  expect(new RowSums().best([streamOf([1], 1)], 2, { eligible: null, limit: 0, compareRows }).rows).toEqual([]);
  expect(new RowSums().best([], 2, { eligible: null, limit: 5, compareRows }).rows).toEqual([]);
});

test('an order that throws does no harm to the next search', () => {
  const sums = new RowSums();
  const failing = () => {
    throw new Error('no order');
  };
  const streams = [streamOf([0, 1, 2, 3], 1)];
  expect(() => sums.best(streams, 4, { eligible: null, limit: 2, compareRows: failing })).toThrow('no order');
  expect(sums.best(streams, 4, { eligible: null, limit: 2, compareRows }).scores).toEqual([1, 1]);
});

test('values that could not lift a row into the result are worked out for the rows in question alone', () => {
  const asked: number[] = [];
  const pending = {
    fill: () => {
      throw new Error('filled in');
    },
    at: (place: number) => {
      asked.push(place);
      return 3;
    },
  };
  const streams = [streamOf([1, 5], 100), { ...streamOf([0, 1, 2, 3, 5, 8], 0), max: 9, pending }];
  expect(new RowSums().best(streams, 9, { eligible: null, limit: 2, compareRows })).toEqual({
    rows: [1, 5],
    scores: [103, 103],
  });
  expect(asked).toEqual([1, 4]);
});
