import { expect, it } from 'vitest';
import { parseOptions } from './options.ts';

it('takes counts, and the full counts', () => {
  expect(parseOptions(['--kill-rounds', '3'])).toMatchObject({ killRounds: 3, damaged: 40, maxDelay: 250 });
  expect(parseOptions([])).toMatchObject({ pages: 200, pumped: 20 });
  expect(parseOptions(['--full', '--damaged', '0'])).toMatchObject({ killRounds: 1000, damaged: 0, requests: 100_000 });
  expect([parseOptions([]), parseOptions(['--pin'])]).toMatchObject([{ pin: false }, { pin: true }]);
  expect(parseOptions(['--help'])).toBe('help');
});

it('refuses what is no count', () => {
  expect(() => parseOptions(['--seed', 'x'])).toThrow("--seed is 'x'");
  expect(() => parseOptions(['--rounds', '3'])).toThrow("'--rounds'");
});
