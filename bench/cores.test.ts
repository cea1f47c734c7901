import { expect, it } from 'vitest';
import { atCore, coresIn } from './cores.ts';

it.each([
  ['', []],
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['1,4-5,9', [1, 4, 5, 9]],
])('reads the cores of %j', (list, cores) => {
  expect(coresIn(list)).toEqual(cores);
});

it('runs a command on the cores that are named', () => {
  expect(atCore(undefined, ['node', 'a.js'])).toEqual(['node', 'a.js']);
  expect(atCore('2,3', ['node', 'a.js'])).toEqual(['taskset', '--cpu-list', '2,3', 'node', 'a.js']);
});
