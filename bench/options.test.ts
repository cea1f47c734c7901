import { describe, expect, it } from 'vitest';
import { CONTENDERS } from './contenders/contenders.ts';
import { parseOptions } from './options.ts';

describe('parseOptions', () => {
  it('runs everything by default, with the budgets checked', () => {
    expect(parseOptions([])).toEqual({
      sizes: [1000, 10_000, 100_000],
      contenders: Object.keys(CONTENDERS),
      warmups: 2000,
      timed: 500,
      legQueries: 200,
      limitMinutes: 15,
      rounds: 3,
      json: null,
      write: false,
      check: true,
    });
  });

  it('takes sizes and names as lists', () => {
    expect(parseOptions(['--sizes', '1000,5000', '--only', 'dowser, zvec'])).toMatchObject({
      sizes: [1000, 5000],
      contenders: ['dowser', 'zvec'],
    });
  });

  it('leaves the biggest size out when it must be quick', () => {
    expect(parseOptions(['--quick'])).toMatchObject({ sizes: [1000, 10_000], timed: 150, rounds: 1 });
    expect(parseOptions(['--quick', '--rounds', '2'])).toMatchObject({ rounds: 2 });
  });

  it.each([
    [['--sizes', '1000,many'], "--sizes has 'many', which is not a whole number above 0."],
    [['--sizes', '0'], "--sizes has '0', which is not a whole number above 0."],
    [['--sizes', '50'], '--sizes has 50; 200 units are the least.'],
    [['--only', 'lucene'], "--only has 'lucene'; there are dowser, zvec, lancedb, minisearch, sqlite, orama."],
    [['--limit', '-1'], /--limit/],
    [['--rounds', '0'], /--rounds/],
    [['--write', '--quick'], '--write goes with a full run only: leave out --quick, --sizes and --only.'],
    [['--fast'], /--fast/],
  ])('refuses %j', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });

  it('shows how it is used', () => {
    expect(parseOptions(['--help'])).toBe('help');
  });
});
