import * as dates from 'chrono-node/en';
import { describe, expect, it, vi } from 'vitest';
import { turnsDuring } from '../../../test/support/turns-during.ts';
import { prepareDateParser, timeWordsIn } from './time-words.ts';

/** A Tuesday. */
const NOW = new Date('2026-11-17T10:00:00Z');
const day = (date: string) => `${date}T00:00:00.000Z`;

describe('time words', () => {
  it.each([
    ['in the morning', '2026-11-17T05', '2026-11-17T12'],
    ['yesterday in the morning', '2026-11-16T05', '2026-11-16T12'],
    ['yesterday evening', '2026-11-16T18', '2026-11-16T22'],
    ['at noon', '2026-11-16T12', '2026-11-16T13'],
    ['what we said in the afternoon', '2026-11-16T12', '2026-11-16T18'],
  ])('are the hours of a part of a day, the last one that began: %s', async (text, from, to) => {
    const range = { from: `${from}:00:00.000Z`, to: `${to}:00:00.000Z` };
    expect((await timeWordsIn(text, NOW))?.range).toEqual(range);
  });

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
    ['0 days ago', '2026-11-17', '2026-11-18'],
    ['last november', '2025-11-01', '2025-12-01'],
    ['november', '2026-11-01', '2026-12-01'],
    ['last autumn', '2025-09-01', '2025-12-01'],
    ['this season', '2026-09-01', '2026-12-01'],
    ['last season', '2026-06-01', '2026-09-01'],
    ['last weekend', '2026-11-14', '2026-11-16'],
    ['this weekend', '2026-11-21', '2026-11-23'],
    ['christmas', '2025-12-25', '2025-12-26'],
    ["on New Year's Eve 2024", '2024-12-31', '2025-01-01'],
    ['new year', '2026-01-01', '2026-01-02'],
    ['first quarter', '2026-01-01', '2026-04-01'],
    ['fourth quarter', '2026-10-01', '2027-01-01'],
    ['Q3', '2026-07-01', '2026-10-01'],
    ['2025', '2025-01-01', '2026-01-01'],
    ['before june', '0000-01-01', '2026-06-01'],
    ['until 2025', '0000-01-01', '2025-01-01'],
    ['before 2024-06-15', '0000-01-01', '2024-06-15'],
    ['9999 years ago', '0000-01-01', '0000-01-01'],
  ])('%j is from %s to %s', async (words, from, to) => {
    expect((await timeWordsIn(words, NOW))?.range).toEqual({ from: day(from), to: day(to) });
  });

  it.each([
    ['since march', '2026-03-01'],
    ['since 2025', '2025-01-01'],
    ['since last week', '2026-11-09'],
    ['since the first quarter', '2026-01-01'],
    ['after june', '2026-07-01'],
    ['after 2024-06-15', '2024-06-16'],
    ['since yesterday', '2026-11-16'],
  ])('%j is from %s until now', async (words, from) => {
    expect((await timeWordsIn(words, NOW))?.range).toEqual({ from: day(from), to: '2026-11-17T10:00:00.001Z' });
    expect((await timeWordsIn(`what changed ${words} in auth?`, NOW))?.rest).toBe('what changed in auth?');
  });

  it.each(['in the last hour', 'the past hour', 'within the last hour', 'last hour'])(
    '%j is an hour',
    async (words) => {
      const { from, to } = (await timeWordsIn(words, NOW))!.range;
      expect([from, to]).toEqual(['2026-11-17T09:00:00.000Z', '2026-11-17T10:00:00.001Z']);
    },
  );

  it.each(['recently', 'in the last 7 days', 'the past week'])('%j begins about a week ago', async (words) => {
    const { from } = (await timeWordsIn(words, NOW))!.range;
    expect([day('2026-11-09'), day('2026-11-10')]).toContain(from);
  });

  it.each([
    '',
    '13/32/2024',
    'gibberish',
    'room 42 is free',
    'you may march on',
    'node 20.19',
    'port 2025',
    'before lunch',
  ])('%j has none', async (words) => {
    expect(await timeWordsIn(words, NOW)).toBeNull();
  });

  it('leave the rest of a question', async () => {
    const found = await timeWordsIn('what did we decide last week about auth?', NOW);
    expect(found?.rest).toBe('what did we decide about auth?');
  });
});

it('gives the date parser no more than the beginning of a long text', async () => {
  const parse = vi.spyOn(dates.casual, 'parse');
  const found = await timeWordsIn(`on 5 may 2020 ${'5 days and '.repeat(3000)}`, NOW);
  const lengths = parse.mock.calls.map(([text]) => text.length);
  parse.mockRestore();
  expect(found?.range.from).toBe(day('2020-05-05'));
  expect(lengths).toEqual([1000]);
});

it('is prepared for both kinds of strings, and for the second use of its patterns', async () => {
  const parse = vi.spyOn(dates.casual, 'parse');
  await prepareDateParser(NOW);
  const isWide = parse.mock.calls.map(([text]) => /[\u0100-\uffff]/.test(text));
  parse.mockRestore();
  expect(isWide).toEqual([false, false, true, true]);
  expect(await turnsDuring(prepareDateParser(NOW))).toBeGreaterThanOrEqual(2);
});
