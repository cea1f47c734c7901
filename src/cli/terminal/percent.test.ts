import { describe, expect, it } from 'vitest';
import { exactPercent, percent } from './percent.ts';

describe('percent', () => {
  it.each([
    [0, '0%'],
    [0.0001, '<1%'],
    [0.005, '1%'],
    [0.074, '7%'],
    [0.994, '99%'],
    [0.995, '>99%'],
    [0.99999, '>99%'],
    [1, '100%'],
  ])('of %d is %s', (share, expected) => {
    expect(percent(share)).toBe(expected);
  });
});

describe('exactPercent', () => {
  it.each([
    [0, '0%'],
    [0.07, '7%'],
    [0.999, '99.9%'],
    [0.9999999, '99.99999%'],
    [0.00001, '0.001%'],
    [1, '100%'],
  ])('of %d is %s', (share, expected) => {
    expect(exactPercent(share)).toBe(expected);
  });
});
