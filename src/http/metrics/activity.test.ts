import { expect, it } from 'vitest';
import { Activity } from './activity.ts';

const MINUTE = 60_000;
const START = Date.parse('2030-01-01T00:00:00Z');

function activityAt(keepsTexts = true) {
  const clock = { now: START };
  const state = { running: 2, loop_delay_ms: 7, memory_bytes: 1000, embedder: 'ready' as const };
  const activity = new Activity({ keepsTexts, now: () => clock.now, state: async () => state });
  const search = (text: string, outcome: 'found' | 'no_match' | 'low_confidence' = 'found', ms = 4, size = 20) =>
    activity.searched({ steps: [{ stage: 'plan', from: 0, until: ms }], text, size, outcome });
  return { activity, clock, search, last: () => activity.report().minutes.at(-1)! };
}

it('counts requests, searches and states by the minute, for an hour', async () => {
  const { activity, clock, search, last } = activityAt();
  activity.answered(200);
  activity.answered(503);
  for (const ms of [1, 2, 3, 40]) search(`text ${ms}`, 'found', ms);
  await activity.sample();
  expect(last()).toEqual({
    at: '2030-01-01T00:00:00.000Z',
    requests: 2,
    failed: 1,
    searches: 4,
    search_p50_ms: 2,
    search_p95_ms: 40,
    questions: 4,
    no_match: 0,
    low_confidence: 0,
    running: 2,
    loop_delay_ms: 7,
    memory_bytes: 1000,
    embedder: 'ready',
  });
  clock.now += MINUTE;
  expect(last()).toMatchObject({ requests: 0, search_p50_ms: null, memory_bytes: 1000, embedder: 'ready' });
  for (let minute = 0; minute < 100; minute++) {
    clock.now += MINUTE;
    activity.answered(200);
  }
  const { minutes } = activity.report();
  expect(minutes).toHaveLength(60);
  expect(minutes[0]!.at).toBe(new Date(clock.now - 59 * MINUTE).toISOString());
});

it('counts what somebody types once, with the outcome of the last text', () => {
  const { activity, clock, search, last } = activityAt();
  for (const text of ['b', 'bo', 'book', 'book a']) {
    search(text, 'no_match');
    clock.now += 200;
  }
  search('book a table', 'low_confidence');
  // Counts of the page ask for the same text again, and for one result.
  search('Book a table', 'no_match');
  search('other', 'no_match', 4, 1);
  search('', 'found');
  expect(last()).toMatchObject({ questions: 1, no_match: 0, low_confidence: 1 });
  expect(activity.report().unanswered).toEqual([
    { query: 'book a table', outcome: 'low_confidence', times: 1, last_at: new Date(clock.now).toISOString() },
  ]);
});

it('tells apart those who ask something else, and the same question later', () => {
  const { activity, clock, search, last } = activityAt();
  search('tides', 'no_match');
  search('weather');
  clock.now += 5000;
  search('tides', 'no_match');
  expect(last()).toMatchObject({ questions: 3, no_match: 2 });
  expect(activity.report().unanswered).toMatchObject([{ query: 'tides', times: 2 }]);
  clock.now += 61 * MINUTE;
  expect(activity.report().unanswered).toEqual([]);
});

it('keeps no text unless it is told to', () => {
  const { activity, search, last } = activityAt(false);
  search('a secret', 'no_match');
  expect(last()).toMatchObject({ no_match: 1 });
  expect(activity.report().unanswered).toBeNull();
  expect(JSON.stringify(activity.report())).not.toContain('secret');
});
