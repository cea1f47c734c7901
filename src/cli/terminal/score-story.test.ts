import { describe, expect, it } from 'vitest';
import { addUpError, type Explanation, leaf, sum } from '../../model/explanation.ts';
import { type Explained, scoredInstead, scoreStory, type Told } from './score-story.ts';

const TOOL = { kind: 'tool', key: 'tool:read', title: 'read' } as const;
const CARD = { kind: 'card', key: 'card', title: 'Reader' } as const;

const vector = (unit: string) => leaf('vector', 1, { rank: 1, weight: 0.8, deviation: 0.1, score: 0.68766, unit });
const keyword = (unit: string): Explanation => {
  const word = sum('web', [leaf('name', 0.1, { count: 1 }), leaf('tags', 0.05)], {
    idf: 2,
    units_with_term: 95,
    units: 1171,
  });
  const parts = [sum('bm25f', [word]), ...(unit === CARD.title ? [] : [leaf('card', 0.05)])];
  return sum('keyword', parts, { weight: 0.2, deviation: 1, score: 4.9, unit });
};
const found = (...legs: Explanation[]) =>
  sum('relevance', [sum('fusion', [...legs, leaf('lowest candidate', -0.2)]), leaf('rounding', 0.00004)]);

describe('scoreStory', () => {
  const told = scoreStory(found(vector('Reader'), keyword('read')), { name: 'Reader', matched_unit: TOOL });

  it('tells what each leg found, and which words counted, without the steps between', () => {
    expect(told).toEqual({
      label: 'score',
      value: expect.closeTo(1.00004, 9),
      parts: [
        { label: 'by meaning, its card', value: 1, note: 'rank 1, cosine 0.688, weight 0.8' },
        {
          label: 'by keyword, tool read',
          value: expect.closeTo(0.2, 9),
          note: 'not in its list, score 4.9, weight 0.2',
          parts: [
            { label: 'web, in name, tags', value: expect.closeTo(0.15, 9), note: 'in 95 of 1,171 parts' },
            { label: 'what its card says besides', value: 0.05 },
          ],
        },
        { label: 'taken off, so that the lowest candidate has 0', value: -0.2 },
      ],
    });
  });

  it('tells what is added from what is taken off', () => {
    const shifted = sum('fusion', [vector('Reader'), leaf('lowest candidate', 0.1)]);
    const { parts } = scoreStory(sum('relevance', [shifted]), { name: 'Reader', matched_unit: TOOL });
    expect(parts?.at(-1)).toEqual({ label: 'added, so that the lowest candidate has 0', value: 0.1 });
  });

  it('adds up, but for rounding that no figure shows', () => {
    expect(addUpError(told as Told & Explanation)).toBeLessThan(1e-4);
    const rough = sum('relevance', [sum('fusion', [vector('Reader')]), leaf('rounding', 0.001)]);
    const { parts } = scoreStory(rough, { name: 'Reader', matched_unit: CARD });
    expect(parts?.map(({ label }) => label)).toEqual(['by meaning, its card', 'rounding']);
  });

  it('says of what only filters asked for that it fits them', () => {
    const tagged = sum('relevance', [
      sum('fusion', [sum('keyword', [leaf('constant', 1)], { rank: 2, of: 1, score: 1, unit: 'Reader' })]),
    ]);
    expect(scoreStory(tagged, { name: 'Reader', matched_unit: CARD }).parts).toEqual([
      { label: 'fits the filters', value: 1 },
    ]);
  });

  it('takes words of the query for words, whatever they are', () => {
    const words = ['constructor', 'vector', 'keyword', 'card', 'rounding', 'fusion'];
    const coverage = sum(
      'coverage',
      words.map((word) => leaf(word, 0.1)),
    );
    const explanation = sum('relevance', [sum('fusion', [sum('keyword', [coverage], { rank: 1, unit: 'Reader' })])]);
    const [leg] = scoreStory(explanation, { name: 'Reader', matched_unit: CARD }).parts ?? [];
    expect(leg?.parts).toEqual(words.map((label) => ({ label, value: 0.1 })));
    expect(scoredInstead(explanation, { name: 'Reader', matched_unit: CARD })).toBeNull();
    const boosted = sum('relevance', [leaf('constructor', 0.1)]);
    expect(scoreStory(boosted, { name: 'Reader', matched_unit: CARD }).parts).toEqual([
      { label: 'constructor', value: 0.1 },
    ]);
  });

  it('tells a card from a tool of the same name only where that is sure', () => {
    const tool = { kind: 'tool', key: 'tool:fetch', title: 'fetch' } as const;
    const card = { kind: 'card', key: 'card', title: 'fetch' } as const;
    const explanation = found(vector('fetch'), keyword('fetch'));
    const told = (result: Explained) =>
      scoreStory(explanation, result)
        .parts?.slice(0, 2)
        .map(({ label }) => label);
    expect(told({ name: 'fetch', matched_unit: tool })).toEqual([
      'by meaning, what is called fetch',
      'by keyword, tool fetch',
    ]);
    expect(told({ name: 'fetch', matched_unit: card })).toEqual(['by meaning, its card', 'by keyword, part fetch']);
    expect(told({ name: 'fetch', matched_unit: tool, tool_name: 'fetch' })).toEqual([
      'by meaning, tool fetch',
      'by keyword, tool fetch',
    ]);
    expect(scoredInstead(explanation, { name: 'fetch', matched_unit: tool })).toBeNull();
    expect(scoredInstead(explanation, { name: 'fetch', matched_unit: card })).toBe(
      'Shown is its card; what scored is part fetch by keyword.',
    );
  });

  it('tells what it has no words for as it is', () => {
    const other = sum('relevance', [leaf('moonlight', 0.5, { phase: 0.25 })]);
    expect(scoreStory(other, { name: 'Reader', matched_unit: CARD }).parts).toEqual([
      { label: 'moonlight', value: 0.5, note: 'phase 0.25' },
    ]);
  });
});

describe('scoredInstead', () => {
  it.each([
    ['Reader', 'read', TOOL, 'Shown is tool read; what scored is its card by meaning.'],
    ['scan', 'Reader', TOOL, 'Shown is tool read; what scored is part scan by meaning and its card by keyword.'],
    ['Reader', 'read', CARD, 'Shown is its card; what scored is part read by keyword.'],
    ['read', 'read', TOOL, null],
  ])('says which part scored: %s by meaning, %s by keyword', (byMeaning, byKeyword, matched_unit, expected) => {
    const explanation = found(vector(byMeaning), keyword(byKeyword));
    expect(scoredInstead(explanation, { name: 'Reader', matched_unit })).toBe(expected);
  });
});
