import { describe, expect, it } from 'vitest';
import { RetryTimes } from './retry-times.ts';

/** A server of four places whose requests take so long, and a clock that a test moves. */
function server(ms: number) {
  const clock = { seconds: 0 };
  const times = new RetryTimes(4, () => clock.seconds * 1000);
  times.served(ms);
  const refuse = (count: number) => Array.from({ length: count }, () => times.refused());
  return { clock, times, refuse };
}

describe('RetryTimes', () => {
  it('sends refused requests back one round after another', () => {
    expect(server(1000).refuse(7)).toEqual([1, 2, 2, 3, 3, 4, 4]);
  });

  it('forgets those whose time has come', () => {
    const { clock, refuse } = server(1000);
    expect(refuse(3).at(-1)).toBe(2);
    clock.seconds = 2;
    // The last two are due in this second.
    expect(refuse(1)).toEqual([2]);
    clock.seconds = 10;
    expect(refuse(1)).toEqual([1]);
  });

  it('never says less than one second or more than ten', () => {
    const atFirst = new RetryTimes(4, () => 0);
    expect([atFirst.refused(), ...server(1).refuse(5)]).toEqual([1, 1, 1, 1, 1, 1]);
    expect(server(60_000).refuse(1)).toEqual([10]);
    expect(Math.max(...server(1000).refuse(10_000))).toBe(10);
  });

  it('follows the time that requests take', () => {
    const { times, refuse } = server(1000);
    times.served(60_000);
    expect(refuse(1)).toEqual([3]);
    for (let served = 0; served < 300; served++) times.served(3500);
    expect(refuse(1)).toEqual([6]);
  });
});
