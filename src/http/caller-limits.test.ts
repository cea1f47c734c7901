import { describe, expect, it } from 'vitest';
import { DowserError } from '../model/errors.ts';
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
const held = () => {
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { until, release: () => release() };
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
  it('are limited until one ends, also one that fails', async () => {
    const { limits: callers } = limits({ perSecond: 0, inFlight: 2 });
    const first = held();
    const second = held();
    const running = [
      callers.run('a', () => first.until),
      callers.run('a', () => second.until.then(() => Promise.reject(new Error('failed')))),
    ];
    await expect(callers.run('a', async () => 1)).rejects.toMatchObject({
      code: 'TOO_MANY_REQUESTS',
      details: { max: 2, retry_after: 1 },
    });
    expect(await callers.run('b', async () => 2)).toBe(2);
    second.release();
    await expect(running[1]).rejects.toThrow('failed');
    expect(await callers.run('a', async () => 3)).toBe(3);
    first.release();
    await running[0];
    expect(callers.refused).toEqual({ rate: 0, in_flight: 1 });
  });
});

it('remembers no more callers than it may, and those with requests in flight', async () => {
  const { limits: callers } = limits({ inFlight: 1, maxCallers: 3 });
  const { until, release } = held();
  const running = callers.run('busy', () => until);
  for (let i = 0; i < 100; i++) callers.take(`caller ${i}`);
  expect(callers.remembered).toBe(3);
  await expect(callers.run('busy', async () => 1)).rejects.toBeInstanceOf(DowserError);
  release();
  await running;
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
