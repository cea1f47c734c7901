import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { asSearch, isSearched, yieldToSearches } from './search-turns.ts';

// The clock stands still unless a test moves it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await setImmediate();
};

/** A background run of so many slices. Notes each of them. */
async function run(slices: number, steps: string[]): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    await yieldToSearches();
    steps.push('slice');
  }
}

it('lets a search that needs several turns end before the next slice', async () => {
  const steps: string[] = [];
  const search = asSearch(async () => {
    await turns(5);
    steps.push('answer');
  });
  await Promise.all([run(2, steps), search]);
  expect(steps).toEqual(['answer', 'slice', 'slice']);
});

it('waits for the last of several searches, also if one of them fails', async () => {
  const steps: string[] = [];
  const failed = asSearch(async () => {
    await turns(2);
    throw new Error('No embedder.');
  }).catch(() => steps.push('failure'));
  const answered = asSearch(async () => {
    await turns(5);
    steps.push('answer');
  });
  await Promise.all([run(1, steps), failed, answered]);
  expect(steps).toEqual(['failure', 'answer', 'slice']);
});

it('goes on while a search waits for something else', async () => {
  const steps: string[] = [];
  let end = (): void => undefined;
  const slow = asSearch(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const background = run(3, steps);
  await turns(5);
  expect(steps).toEqual([]);
  // The wait is over for all slices: the search is no longer a new one.
  vi.advanceTimersByTime(20);
  await background;
  end();
  await slow;
});

it('goes on while there is always another search', async () => {
  const steps: string[] = [];
  let isOver = false;
  const searches = (async () => {
    while (!isOver) {
      const overlapping = asSearch(() => turns(3));
      await asSearch(() => turns(1));
      vi.advanceTimersByTime(5);
      void overlapping;
    }
  })();
  await run(3, steps);
  isOver = true;
  await searches;
  await turns(5);
});

it('takes one turn without a search', async () => {
  const steps: string[] = [];
  const other = turns(1).then(() => steps.push('other'));
  await Promise.all([run(3, steps), other]);
  expect(steps.indexOf('other')).toBeLessThan(2);
});

it('sends an answer before the next slice, also if that takes some more promises', async () => {
  const steps: string[] = [];
  const answer = asSearch(() => turns(3)).then(async () => {
    for (let step = 0; step < 20; step++) await Promise.resolve();
    steps.push('sent');
  });
  await Promise.all([run(1, steps), answer]);
  expect(steps).toEqual(['sent', 'slice']);
});

it('gives each slice a turn of its own, also to those of several writes', async () => {
  const steps: string[] = [];
  const writes = Promise.all([run(3, steps), run(3, steps), run(3, steps)]);
  let slices = 0;
  while (steps.length < 9) {
    await setImmediate();
    expect(steps.length - slices).toBeLessThanOrEqual(1);
    slices = steps.length;
  }
  await writes;
});

it('expects the next search for a second', async () => {
  vi.advanceTimersByTime(1000);
  expect(isSearched()).toBe(false);
  await asSearch(async () => expect(isSearched()).toBe(true));
  vi.advanceTimersByTime(999);
  expect(isSearched()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(isSearched()).toBe(false);
});
