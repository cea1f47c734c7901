import { expect, test } from 'vitest';
import { editDistance } from './edit-distance.ts';

test.each([
  ['weather', 'weather', 0],
  ['wether', 'weather', 1],
  ['weeather', 'weather', 1],
  ['waether', 'weather', 1],
  ['weathor', 'weather', 1],
  ['postgers', 'postgres', 1],
  ['kuberntse', 'kubernetes', 2],
  ['', 'ab', 2],
])('%s and %s are %i apart', (a, b, distance) => {
  expect(editDistance(a, b, 2)).toBe(distance);
  expect(editDistance(b, a, 2)).toBe(distance);
});

test('gives one more than the limit for anything beyond it', () => {
  expect(editDistance('postgres', 'weather', 2)).toBe(3);
  expect(editDistance('abc', 'abcdef', 2)).toBe(3);
  expect(editDistance('wether', 'weather', 0)).toBe(1);
});
