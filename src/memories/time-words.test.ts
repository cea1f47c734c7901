import { describe, expect, it } from 'vitest';
import { timeWordsIn } from './time-words.ts';

/** A Tuesday. */
const NOW = new Date('2026-11-17T10:00:00Z');
const day = (date: string) => `${date}T00:00:00.000Z`;

describe('time words', () => {
  it.each([
    ['yesterday', '2026-11-16', '2026-11-17'],
    ['today', '2026-11-17', '2026-11-18'],
    ['the day before yesterday', '2026-11-15', '2026-11-16'],
    ['2 weeks ago', '2026-11-02', '2026-11-09'],
    ['three days ago', '2026-11-14', '2026-11-15'],
    ['1 month ago', '2026-10-01', '2026-11-01'],
    ['last week', '2026-11-09', '2026-11-16'],
    ['this week', '2026-11-16', '2026-11-23'],
    ['last quarter', '2026-07-01', '2026-10-01'],
    ['last year', '2025-01-01', '2026-01-01'],
    ['03/15/2024', '2024-03-15', '2024-03-16'],
    ['2024-06-15', '2024-06-15', '2024-06-16'],
    ['march 3 2025', '2025-03-03', '2025-03-04'],
    ['in june', '2026-06-01', '2026-07-01'],
    ['december', '2025-12-01', '2026-01-01'],
    ['March', '2026-03-01', '2026-04-01'],
    ['may 2024', '2024-05-01', '2024-06-01'],
    ['in 2024', '2024-01-01', '2025-01-01'],
    ['between january and march', '2026-01-01', '2026-04-01'],
    ['from november to february', '2025-11-01', '2026-03-01'],
    ['between 2024-01-05 and 2024-02-01', '2024-01-05', '2024-02-02'],
    ['first quarter of 2024', '2024-01-01', '2024-04-01'],
    ['Q3 2025', '2025-07-01', '2025-10-01'],
    ['second half of 2025', '2025-07-01', '2026-01-01'],
    ['last summer', '2026-06-01', '2026-09-01'],
    ['on Monday', '2026-11-16', '2026-11-17'],
  ])('%j is from %s to %s', async (words, from, to) => {
    expect((await timeWordsIn(words, NOW))?.range).toEqual({ from: day(from), to: day(to) });
  });

  it.each(['recently', 'in the last 7 days', 'the past week'])('%j begins about a week ago', async (words) => {
    const { from } = (await timeWordsIn(words, NOW))!.range;
    expect([day('2026-11-09'), day('2026-11-10')]).toContain(from);
  });

  it.each(['', '13/32/2024', 'gibberish', 'room 42 is free', 'you may march on', 'node 20.19'])(
    '%j has none',
    async (words) => {
      expect(await timeWordsIn(words, NOW)).toBeNull();
    },
  );

  it('leave the rest of a question', async () => {
    const found = await timeWordsIn('what did we decide last week about auth?', NOW);
    expect(found?.rest).toBe('what did we decide about auth?');
  });
});
