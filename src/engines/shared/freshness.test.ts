import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import type { WhenLost } from '../replica.ts';
import { Freshness } from './freshness.ts';

const LOST = new DowserError('RECORD_UNAVAILABLE', 'no answer');
const TOO_NEW = new DowserError('STORE_TOO_NEW', 'version 99');

describe('a copy is ready', () => {
  it.each<[string, WhenLost, number, DowserError | null, boolean]>([
    ['just confirmed', 'leave', 0, null, true],
    ['confirmed long ago, with a question under way', 'leave', 11_000, null, false],
    ['confirmed long ago, with a question under way', 'serve', 11_000, null, false],
    ['lost for a moment', 'leave', 9_000, LOST, true],
    ['lost for long', 'leave', 11_000, LOST, false],
    ['lost for long', 'serve', 11_000, LOST, true],
    ['unable to follow', 'leave', 0, TOO_NEW, false],
    ['unable to follow', 'serve', 0, TOO_NEW, false],
  ])('or not: %s, %s, after %d ms', (_, whenLost, later, error, expected) => {
    let clock = 1_000;
    const freshness = new Freshness({ maxBehindMs: 10_000, whenLost, now: () => clock });
    freshness.confirm(clock);
    clock += later;
    expect([freshness.isReady(error), freshness.behindMs]).toEqual([expected, later]);
  });

  it('or not: lost while it lacked writes that it knew of', () => {
    let clock = 0;
    const freshness = new Freshness({ maxBehindMs: 10_000, whenLost: 'serve', now: () => clock });
    freshness.lack();
    clock = 11_000;
    expect(freshness.isReady(LOST)).toBe(false);
    freshness.confirm(clock);
    expect(freshness.isReady(LOST)).toBe(true);
  });
});
