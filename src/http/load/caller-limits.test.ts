import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { addressKey, type CallerLimitOptions, CallerLimits } from './caller-limits.ts';

function limits(options: Partial<CallerLimitOptions> = {}) {
  const clock = { ms: 0 };
  return { clock, limits: new CallerLimits({ perSecond: 2, inFlight: 0, now: () => clock.ms, ...options }) };
}

const outcome = (take: () => void): string | number | undefined => {
  try {
    take();
    return 'taken';
  } catch (thrown) {
    const { code, details } = thrown as DowserError;
    expect(code).toBe('TOO_MANY_REQUESTS');
    return details?.retry_after;
  }
};
describe('the rate of a caller', () => {
  it('has a burst of five seconds, then what comes back with the time', () => {
    const { limits: callers, clock } = limits();
    for (let i = 0; i < 10; i++) expect(outcome(() => callers.take('a'))).toBe('taken');
    expect(outcome(() => callers.take('a'))).toBe(1);
    clock.ms = 400;
    expect(outcome(() => callers.take('a'))).toBe(1);
    clock.ms = 500;
    expect(outcome(() => callers.take('a'))).toBe('taken');
    expect(outcome(() => callers.take('a'))).toBe(1);
    clock.ms = 3_600_000;
    for (let i = 0; i < 10; i++) expect(outcome(() => callers.take('a'))).toBe('taken');
    expect(outcome(() => callers.take('a'))).toBe(1);
    expect(callers.refused).toEqual({ rate: 4, in_flight: 0 });
  });

  it('counts each request of a batch, and none of one that is too large', () => {
    const { limits: callers, clock } = limits();
    expect(outcome(() => callers.take('a', 11))).toBe(1);
    expect(outcome(() => callers.take('a', 7))).toBe('taken');
    expect(outcome(() => callers.take('a', 6))).toBe(2);
    clock.ms = 1500;
    expect(outcome(() => callers.take('a', 6))).toBe('taken');
    expect(outcome(() => callers.take('a'))).toBe(1);
  });

  it('is no other caller’s', () => {
    const { limits: callers } = limits();
    for (let i = 0; i < 20; i++) outcome(() => callers.take('heavy'));
    expect(outcome(() => callers.take('light'))).toBe('taken');
  });

  it('of 0 is none', () => {
    const { limits: callers } = limits({ perSecond: 0 });
    for (let i = 0; i < 1000; i++) callers.take('a');
    expect(callers.remembered).toBe(0);
  });
});

describe('the requests of a caller at once', () => {
  it('are limited until one ends', () => {
    const { limits: callers } = limits({ perSecond: 0, inFlight: 2 });
    callers.enter('a');
    const leave = callers.enter('a');
    expect(outcome(() => callers.enter('a'))).toBe(1);
    expect(outcome(() => callers.enter('b'))).toBe('taken');
    leave();
    expect(outcome(() => callers.enter('a'))).toBe('taken');
    expect(outcome(() => callers.enter('a'))).toBe(1);
    expect(callers.refused).toEqual({ rate: 0, in_flight: 2 });
  });
});

it('remembers no more callers than it may, and those with requests in flight', () => {
  const { limits: callers } = limits({ inFlight: 1, maxCallers: 3 });
  callers.enter('busy');
  for (let i = 0; i < 100; i++) callers.take(`caller ${i}`);
  expect(callers.remembered).toBe(3);
  expect(() => callers.enter('busy')).toThrow(DowserError);
});

it.each([
  ['192.0.2.7', 'address:192.0.2.7'],
  ['::ffff:192.0.2.7', 'address:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', 'address:2001:db8:1:2::/64'],
  ['2001:db8::9', 'address:2001:db8:0:0::/64'],
  ['::1', 'address:0:0:0:0::/64'],
  ['fe80::1%eth0', 'address:fe80:0:0:0::/64'],
  [null, 'address:unknown'],
])('counts %s as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});
