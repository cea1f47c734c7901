import { expect, it } from 'vitest';
import type { Filter } from '../../model/query/filter.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import type { PointSearch } from './collection.ts';
import { LocalVectors } from './local-vectors.ts';
import { PendingPoints } from './pending-points.ts';
import { type AnswerParts, RemoteAnswers } from './remote-answers.ts';

const ROWS = 100;
const unitOf = (row: number) => `tool:/${row}#card`;
/** The lower the row, the nearer it is to (1, 0). */
const vectorOf = (row: number) => Float32Array.of(1, row / ROWS);
const QUERY = Float32Array.of(1, 0);
const FILTER: Filter = { statuses: ['active'] };

/** Half of the rows pass the filter. `answer`: the rows that the server finds. */
function answersOf(
  maxExact: number,
  answer: (search: PointSearch) => readonly number[],
  { vectorAt = vectorOf, score = 0 } = {},
) {
  const asked: PointSearch[] = [];
  const present = Bitset.of(Array.from({ length: ROWS }, (_, row) => row));
  const eligible = Bitset.of(Array.from({ length: ROWS / 2 }, (_, n) => 2 * n));
  const table = {
    unit: (id: string) => ({ row: Number(/\d+/.exec(id)) }),
    unitAt: (row: number) => ({ id: unitOf(row) }),
  };
  const answers = new RemoteAnswers({
    rows: { table, eligible: () => eligible } as unknown as AnswerParts['rows'],
    present,
    pending: new PendingPoints(),
    local: new LocalVectors({ vectorOf: vectorAt } as never, { id: 'test/two/2', dimensions: 2 }),
    maxExact,
    ask: async (searches) => {
      asked.push(...searches);
      return searches.map((search) => answer(search).map((row) => ({ unit: unitOf(row), score })));
    },
  });
  const search = () => {
    const options = { eligible, filter: FILTER, limit: 3, compareRows: (a: number, b: number) => a - b };
    return answers.search(QUERY, options).rows;
  };
  return { asked, found: () => answers.answer(search, search) };
}

it('finds near units that the graph does not reach among those that pass the filter', async () => {
  const { asked, found } = answersOf(10, ({ conditions }) => (conditions.length > 0 ? [40, 42, 44] : [0, 1, 2, 3]));
  expect(await found()).toEqual([0, 2, 40]);
  // Enough for twice as many as are needed to pass.
  expect(asked.map(({ conditions, limit }) => [conditions.length, limit])).toEqual([
    [1, 13],
    [0, 52],
  ]);
});

it('asks only for units that pass the filter where all of them are compared', async () => {
  const { asked, found } = answersOf(ROWS, () => [0, 2, 4]);
  expect(await found()).toEqual([0, 2, 4]);
  expect(asked.map(({ conditions, isExact }) => [conditions.length, isExact])).toEqual([[1, true]]);
});

it('asks for more where the last hits have equal scores: the server cuts its list anywhere among them', async () => {
  const equal = { vectorAt: () => QUERY, score: 1 };
  const last = Array.from({ length: ROWS / 2 }, (_, n) => 2 * n).reverse();
  const { asked, found } = answersOf(ROWS, ({ limit }) => last.slice(0, limit), equal);
  expect(await found()).toEqual([0, 2, 4]);
  expect(asked.map(({ limit }) => limit)).toEqual([13, 52]);
});

it('takes scores that differ by less than the server rounds for equal ones', async () => {
  const nearly = { vectorAt: () => QUERY, score: Math.fround(1 - 2 ** -24) };
  const last = Array.from({ length: ROWS / 2 }, (_, n) => 2 * n).reverse();
  expect(await answersOf(ROWS, ({ limit }) => last.slice(0, limit), nearly).found()).toEqual([0, 2, 4]);
});
