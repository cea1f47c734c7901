import { expect, it } from 'vitest';
import { compareRuns } from './compare-runs.ts';

const asked = (...scores: readonly (readonly [id: string, score: number])[]) =>
  scores.map(([id, score]) => ({ id, query: `question ${id}`, score }));

it('counts what got better and worse, and lists the losses, the largest first', () => {
  const before = asked(['a', 1], ['b', 0.9], ['c', 0.2], ['d', 0.5]);
  const after = asked(['d', 0.5], ['c', 0.7], ['b', 0.1], ['a', 0.6]);
  const { losses, difference, ...counts } = compareRuns(before, after);
  expect(counts).toMatchObject({ queries: 4, better: 1, worse: 2 });
  expect(difference).toBeCloseTo(-0.175, 10);
  expect(losses).toEqual([
    { query_id: 'b', query: 'question b', before: 0.9, after: 0.1 },
    { query_id: 'a', query: 'question a', before: 1, after: 0.6 },
  ]);
});

it('compares only what both asked: the same id with another text is another question', () => {
  const before = [...asked(['a', 1]), { id: 'b', query: 'old words', score: 1 }, { id: 'c', query: 'gone', score: 1 }];
  const after = [...asked(['a', 1]), { id: 'b', query: 'new words', score: 0 }];
  expect(compareRuns(before, after)).toMatchObject({ queries: 1, worse: 0, losses: [], p: 1 });
  expect(compareRuns([], after)).toMatchObject({ queries: 0, difference: 0 });
});
