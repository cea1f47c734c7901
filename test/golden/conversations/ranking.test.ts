import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLASSES, memoriesOf, QUESTIONS, SHAPES, TOPICS } from './conversations.ts';
import { type Conversations, type Figures, measure, openConversations } from './measure.ts';

it('has 300 questions in five classes, each once', () => {
  expect(QUESTIONS).toHaveLength(300);
  for (const kind of CLASSES) expect(QUESTIONS.filter((one) => one.class === kind)).toHaveLength(TOPICS.length);
  expect(new Set(QUESTIONS.map(({ query }) => query)).size).toBe(300);
  for (const shape of SHAPES) {
    const held = memoriesOf(shape).flatMap(({ holds }) => holds);
    expect(held.toSorted()).toEqual(TOPICS.flatMap(({ id }) => [`${id} before`, `${id} after`]).toSorted());
  }
});

describe.each(SHAPES)('on %s, the preset for memories', (shape) => {
  let conversations: Conversations;
  let figures: Readonly<Record<'memory' | 'keyword' | 'vector' | 'memory-legacy', Figures>>;
  beforeAll(async () => {
    conversations = await openConversations(shape);
    const of = (preset: string) => measure(conversations, preset);
    figures = {
      memory: await of('memory'),
      keyword: await of('keyword'),
      vector: await of('vector'),
      'memory-legacy': await of('memory-legacy'),
    };
  }, 120_000);
  afterAll(() => conversations.golden.close());

  // Its weights are a compromise with conversations of others, where keywords find more than the model: docs/quality.md.
  it('is as good as the better leg, but for a hundredth', () => {
    expect(figures.memory.all).toBeGreaterThan(Math.max(figures.keyword.all, figures.vector.all) - 0.01);
  });

  it('is better than the literal formulas', () => {
    expect(figures.memory.all).toBeGreaterThan(figures['memory-legacy'].all);
  });

  it('finds what is asked for in its own words', () => {
    expect(figures.memory.byClass.exact).toBeGreaterThan(0.99);
  });
});
