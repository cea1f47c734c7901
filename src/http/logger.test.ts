import { expect, it } from 'vitest';
import { createLogger } from './logger.ts';

it.each([
  ['trace', true],
  ['debug', true],
  ['info', false],
  ['silent', false],
] as const)('at level %s gathers lines for debugging: %s', (level, wanted) => {
  expect(createLogger(level).debug !== undefined).toBe(wanted);
});
