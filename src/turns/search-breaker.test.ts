import { expect, it } from 'vitest';
import { DowserError } from '../model/errors/errors.ts';
import { SearchBreaker } from './search-breaker.ts';

const error = new DowserError('VECTORS_UNAVAILABLE', 'down');

it('opens after two failures in a row, and not after two with a success between', () => {
  const breaker = new SearchBreaker(() => 0);
  breaker.failed(error, breaker.enter());
  breaker.succeeded();
  breaker.failed(error, breaker.enter());
  expect(breaker.error).toBe(null);
  breaker.failed(error, breaker.enter());
  expect(breaker.error).toBe(error);
  expect(() => breaker.enter()).toThrow(error);
});

it('lets one search through after each pause, and each failed one doubles it', () => {
  let now = 0;
  const breaker = new SearchBreaker(() => now);
  breaker.failed(error, breaker.enter());
  breaker.failed(error, breaker.enter());
  now = 999;
  expect(() => breaker.enter()).toThrow(error);
  now = 1000;
  const trial = breaker.enter();
  expect(() => breaker.enter()).toThrow(error);
  breaker.failed(error, trial);
  now = 2999;
  expect(() => breaker.enter()).toThrow(error);
  now = 3000;
  breaker.enter();
  breaker.succeeded();
  breaker.enter();
  breaker.enter();
});

it('makes no longer pause of searches that failed together', () => {
  let now = 0;
  const breaker = new SearchBreaker(() => now);
  const together = Array.from({ length: 20 }, () => breaker.enter());
  for (const one of together) breaker.failed(error, one);
  now = 1000;
  const trial = breaker.enter();
  breaker.failed(error, together[0]!);
  breaker.failed(error, trial);
  now = 2999;
  expect(() => breaker.enter()).toThrow(error);
  now = 3000;
  breaker.enter();
});
