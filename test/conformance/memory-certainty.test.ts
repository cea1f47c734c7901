import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, START, type TestMemories, wordMemories } from '../support/word-memories.ts';

let memories: TestMemories;
beforeEach(async () => {
  memories = await wordMemories();
});
afterEach(() => memories.registry.close());

describe('MS-14: certainty', () => {
  it.each([
    [1, 0, 30, 1],
    [1, 30, 30, 0.5],
    [1, 60, 30, 0],
    [1, 90, 30, 0],
    [0.5, 15, 30, 0.375],
    [1, 30, 60, 0.75],
    [undefined, 90, 30, 1],
    [0, 0, 30, 0],
  ])('%d is after %d days, with half of it left after %d, %d', async (certainty, days, halved, expected) => {
    const own = await wordMemories(undefined, { certaintyDays: halved });
    await own.store({ content: 'the quiet harbor lamp', ...(certainty === undefined ? {} : { certainty }) });
    own.pass(days * DAY_MS);
    for (const mode of ['hybrid', 'exact'] as const) {
      const [found] = (await own.search({ query: 'harbor', mode })).memories;
      expect(found).toMatchObject({ certainty: certainty ?? null, certainty_now: expect.closeTo(expected, 9) });
    }
    const [before] = (await own.search({ query: 'harbor', as_of: START })).memories;
    expect(before?.certainty_now).toBe(certainty ?? 1);
    await own.registry.close();
  });

  it('is a filter inside the search and the list, at the time of the question', async () => {
    for (let n = 0; n < 30; n++) await memories.store({ content: `the harbor lamp ${n}`, certainty: 0.9 });
    await memories.store({ content: 'the harbor gate is sure' });
    memories.pass(30 * DAY_MS);
    await memories.store({ content: 'the harbor boat is fresh', certainty: 0.9 });
    await memories.store({ content: 'the harbor wall is a guess', certainty: 0.1 });
    for (const mode of ['hybrid', 'semantic', 'exact'] as const) {
      const asked = { query: 'harbor', mode, limit: 3 };
      const sure = (await memories.search({ ...asked, min_certainty: 0.5 })).memories;
      expect(sure.map(({ content }) => content).toSorted()).toEqual([
        'the harbor boat is fresh',
        'the harbor gate is sure',
      ]);
      // In the beginning, the thirty were sure as well.
      const then = { ...asked, min_certainty: 0.9, as_of: START, limit: 100 };
      expect((await memories.search(then)).memories.length).toBeGreaterThan(30);
    }
    const listed = async (min_certainty: number) => (await memories.list({ min_certainty })).total;
    expect([await listed(0), await listed(0.45), await listed(0.46), await listed(1)]).toEqual([33, 32, 2, 1]);
    await expect(memories.search({ query: 'harbor', min_certainty: 2 })).rejects.toMatchObject({
      field: 'min_certainty',
    });
    await expect(memories.forget({ min_certainty: 0.5 } as never)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('can be corrected, and is from 0 to 1', async () => {
    const { content_hash } = await memories.store({ content: 'the quiet harbor lamp', certainty: 0.2 });
    expect((await memories.update(content_hash, { certainty: 0.9 })).memory.certainty).toBe(0.9);
    await expect(memories.store({ content: 'a lamp', certainty: 1.1 })).rejects.toMatchObject({ field: 'certainty' });
  });
});
