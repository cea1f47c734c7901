import { expect, it } from 'vitest';
import { LoopDelay } from './loop-delay.ts';

it('reports the delays of the last minute, and none before the first', () => {
  const delay = new LoopDelay();
  expect(delay.report()).toEqual({ p50: 0, p99: 0, max: 0 });
  for (let i = 1; i <= 100; i++) delay.record(i);
  expect(delay.report()).toEqual({ p50: 50, p99: 99, max: 100 });
  delay.record(900.4);
  delay.record(-5);
  expect(delay.report()).toMatchObject({ p50: 50, max: 900 });
  for (let i = 0; i < 600; i++) delay.record(1);
  expect(delay.report()).toEqual({ p50: 1, p99: 1, max: 1 });
});
