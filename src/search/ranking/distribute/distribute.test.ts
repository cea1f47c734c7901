import { expect, it } from 'vitest';
import { distribute } from './distribute.ts';

const candidates = (types: string) => [...types].map((type, at) => ({ type, at }));
const places = (types: string, maxResults: number, inOrder?: (type: string) => boolean) =>
  distribute(candidates(types), { maxResults, ...(inOrder && { inOrder }) }).map(({ at }) => at);

it('picks what comes after the last other type before what it skipped, as the documents have it', () => {
  // At most 3 of 5 are M while there is an A below: the fourth M is skipped, the fifth is not.
  expect(places('MMMMAM', 5)).toEqual([0, 1, 2, 4, 5]);
  expect(places('MMMMAM', 5, (type) => type === 'A')).toEqual([0, 1, 2, 4, 5]);
});

it('picks a type that keeps its order in that order', () => {
  expect(places('MMMMAM', 5, (type) => type === 'M')).toEqual([0, 1, 2, 4, 3]);
  expect(places('MMMMMAM', 10, () => true)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(places('MMMMMMMMAM', 9, () => true)).toEqual([0, 1, 2, 3, 4, 5, 8, 6, 7]);
});
