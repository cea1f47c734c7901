import { expect, it } from 'vitest';
import { literalStabilityOf, stabilityOf } from './entity-health.ts';

it.each([
  [0.6, 'stable'],
  [0.59, 'emerging'],
  [undefined, 'emerging'],
] as const)('TP-6, to the letter: maintenance %s is %s', (maintenance, expected) => {
  expect(literalStabilityOf(maintenance === undefined ? undefined : { maintenance })).toBe(expected);
});

it.each([
  ['nothing known', undefined, 'unknown'],
  ['well maintained', { maintenance: 0.6, stars: 1000, velocity: 5 }, 'stable'],
  ['old and unmaintained', { maintenance: 0.2, stars: 1000, velocity: 0 }, 'unknown'],
  ['growing fast', { maintenance: 0.4, stars: 1000, velocity: 200 }, 'emerging'],
  ['growing fast and well maintained', { maintenance: 0.9, stars: 1000, velocity: 200 }, 'stable'],
  ['just well maintained, and growing fast', { maintenance: 0.6, stars: 10, velocity: 9 }, 'stable'],
] as const)('TP-6: calls only what grows and is not stable emerging: %s', (_, health, expected) => {
  expect(stabilityOf(health)).toBe(expected);
});
