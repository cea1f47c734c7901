import fc from 'fast-check';
import { expect, it } from 'vitest';
import { distribute, softCapOf } from './distribute.ts';

const candidates = (types: string) => [...types].map((type, at) => ({ type, at }));
const places = (types: string, maxResults: number, inOrder?: (type: string) => boolean) =>
  distribute(candidates(types), { maxResults, ...(inOrder && { inOrder }) }).map(({ at }) => at);

it('picks what comes after the last other type before what it skipped, as the documents have it', () => {
  // At most 3 of 5 are M while there is an A below: the fourth M is skipped, the fifth is not.
  expect(places('MMMMAM', 5)).toEqual([0, 1, 2, 4, 5]);
  expect(places('MMMMAMM', 5)).toEqual([0, 1, 2, 4, 5]);
  expect(places('MMMMAM', 5, (type) => type === 'A')).toEqual([0, 1, 2, 4, 5]);
});

it('picks a type that keeps its order in that order', () => {
  expect(places('MMMMAM', 5, (type) => type === 'M')).toEqual([0, 1, 2, 4, 3]);
  expect(places('MMMMMAM', 10, () => true)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(places('MMMMMMMMAM', 9, () => true)).toEqual([0, 1, 2, 3, 4, 5, 8, 6, 7]);
});

it('skips a type at its cap only while another type comes below', () => {
  const types = fc.string({ unit: fc.constantFrom('A', 'B'), maxLength: 12 });
  fc.assert(
    fc.property(types, fc.integer({ min: 1, max: 8 }), (listed, maxResults) => {
      const picked: number[] = [];
      const skipped: number[] = [];
      for (let at = 0; at < listed.length && picked.length < maxResults; at++) {
        const isFull = picked.filter((other) => listed[other] === listed[at]).length >= softCapOf(maxResults);
        const hasOthers = [...listed.slice(at + 1)].some((type) => type !== listed[at]);
        (isFull && hasOthers ? skipped : picked).push(at);
      }
      expect(places(listed, maxResults)).toEqual([...picked, ...skipped].slice(0, maxResults));
    }),
  );
});
