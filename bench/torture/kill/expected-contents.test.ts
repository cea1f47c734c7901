import { expect, it } from 'vitest';
import { ExpectedContents } from './expected-contents.ts';

const contents = (...entries: readonly (readonly [string, string])[]) => new Map(entries);

it('wants what was acknowledged, and takes a write under way or not', () => {
  const expected = new ExpectedContents();
  expected.begin(new Map([['a', '1']])).acknowledge();
  expected.begin(new Map([['a', '2']]));
  const mark = expected.mark();
  expect(expected.problems(contents(['a', '1']), mark)).toEqual([]);
  expect(expected.problems(contents(['a', '2']), mark)).toEqual([]);
  expect(expected.problems(contents(), mark)).toEqual(['a is null, but must be 1 or 2']);
  expect(expected.problems(contents(['a', '0']), mark)).toEqual(['a is 0, but must be 1 or 2']);
});

it('wants nothing of a refused or deleted one, and nothing that was never sent', () => {
  const expected = new ExpectedContents();
  expected.begin(new Map([['refused', '1']])).refuse();
  expected.begin(new Map([['deleted', '1']])).acknowledge();
  expected.begin(new Map([['deleted', null]])).acknowledge();
  const mark = expected.mark();
  expect(expected.problems(contents(), mark)).toEqual([]);
  expect(expected.problems(contents(['refused', '1']), mark)).toHaveLength(1);
  expect(expected.problems(contents(['deleted', '1']), mark)).toHaveLength(1);
  expect(expected.problems(contents(['other', '1']), mark)).toEqual(['other was never stored']);
});

it('finds a write of which only part is stored', () => {
  const expected = new ExpectedContents();
  expected.begin(
    new Map([
      ['a', '1'],
      ['b', '1'],
    ]),
  );
  const mark = expected.mark();
  expect(expected.problems(contents(['a', '1'], ['b', '1']), mark)).toEqual([]);
  expect(expected.problems(contents(), mark)).toEqual([]);
  expect(expected.problems(contents(['a', '1']), mark)).toEqual(['only part of one write is stored: a, b']);
});

it('lets a backup have any state since it began', () => {
  const expected = new ExpectedContents();
  const put = (state: string) => expected.begin(new Map([['a', state]])).acknowledge();
  put('1');
  const mark = expected.mark();
  put('2');
  put('3');
  expect(expected.problems(contents(['a', '2']), mark)).toEqual([]);
  expect(expected.problems(contents(), mark)).toHaveLength(1);
  expect(expected.problems(contents(['a', '2']), expected.mark())).toEqual(['a is 2, but must be 3']);
});

it('begins again with what the store has', () => {
  const expected = new ExpectedContents();
  expected.begin(new Map([['a', '1']]));
  expected.settle(contents(['a', '1']));
  expect(expected.stateOf('a')).toBe('1');
  expect(expected.problems(contents(), expected.mark())).toHaveLength(1);
});
