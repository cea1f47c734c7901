import { expect, it } from 'vitest';
import { nearestName } from './nearest-name.ts';

const NAMES = ['hybrid', 'vector', 'rrf', 'Linear'];

it.each([
  ['hybird', 'hybrid'],
  ['VECTOR', 'vector'],
  ['linaer', 'Linear'],
  ['vetcro', 'vector'],
  ['rr', 'rrf'],
  ['x', undefined],
  ['', undefined],
  ['something', undefined],
])('%s means %s', (name, meant) => {
  expect(nearestName(name, NAMES)).toBe(meant);
});
