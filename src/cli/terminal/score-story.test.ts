import { describe, expect, it } from 'vitest';
import { addUpError } from '../../../test/support/add-up-error.ts';
import { type Explanation, leaf, sum } from '../../model/answer/explanation.ts';
import { scoredInstead, scoreStory, type Told } from './score-story.ts';

const TOOL = { kind: 'tool', key: 'tool:read', title: 'read' } as const;
const CARD = { kind: 'card', key: 'card', title: 'Reader' } as const;

const isCard = (unit: string) => unit === CARD.title;
const kindOf = (unit: string) => (isCard(unit) ? 'card' : 'tool');

const vector = (unit: string, unit_kind = kindOf(unit)) =>
  leaf('vector', 1, { rank: 1, weight: 0.8, deviation: 0.1, score: 0.68766, unit, unit_kind });
const keyword = (unit: string, unit_kind = kindOf(unit)): Explanation => {
  const word = sum('web', [leaf('name', 0.1, { count: 1 }), leaf('tags', 0.05)], {
    idf: 2,
    units_with_term: 95,
    units: 1171,
  });
  const parts = [sum('bm25f', [word]), ...(isCard(unit) ? [] : [leaf('card', 0.05)])];
  return sum('keyword', parts, { weight: 0.2, deviation: 1, score: 4.9, unit, unit_kind });
};
const found = (...legs: Explanation[]) =>
  sum('relevance', [sum('fusion', [...legs, leaf('lowest candidate', -0.2)]), leaf('rounding', 0.00004)]);

describe('scoreStory', () => {
  const told = scoreStory(found(vector('Reader'), keyword('read')));

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
            { label: '“web” in its name, tags', value: expect.closeTo(0.15, 9), note: 'in 95 of 1,171 parts' },
            { label: 'what its card says besides', value: 0.05 },
          ],
        },
        { label: 'taken off, so that the lowest candidate has 0', value: -0.2 },
      ],
    });
  });

  it('tells each word of the query once, whatever forms of it the index has', () => {
    const form = (label: string, field: string, units_with_term: number) =>
      sum(label, [leaf(field, 0.1)], { idf: 2, units_with_term, units: 90 });
    const forms = [
      form('github', 'name', 24),
      form('issue', 'name', 30),
      form('git', 'tags', 65),
      form('hub', 'name', 31),
    ];
    const leg = sum('keyword', [sum('bm25f', forms)], { weight: 1, score: 1, unit: 'read', unit_kind: 'tool' });
    const { parts } = scoreStory(found(leg), 'GitHub issues').parts![0]!;
    expect(parts).toEqual([
      { label: '“github” in its name, tags', value: expect.closeTo(0.3, 9), note: 'in 24 of 90 parts' },
      { label: '“issues” in its name', value: expect.closeTo(0.1, 9), note: 'in 30 of 90 parts' },
    ]);
  });

  it('names its facts in words', () => {
    const fit = leaf('fit among the tools of its server', 0.1, { cosine: 0.35512, place_of: 'DeepWiki' });
    const { parts } = scoreStory(sum('relevance', [sum('fusion', [vector('Reader'), fit])]));
    expect(parts?.[1]?.note).toBe('cosine 0.355, in the place of DeepWiki');
  });

  it('tells what is added from what is taken off', () => {
    const shifted = sum('fusion', [vector('Reader'), leaf('lowest candidate', 0.1)]);
    const { parts } = scoreStory(sum('relevance', [shifted]));
    expect(parts?.at(-1)).toEqual({ label: 'added, so that the lowest candidate has 0', value: 0.1 });
  });

  it('adds up, but for rounding that no figure shows', () => {
    expect(addUpError(told as Told & Explanation)).toBeLessThan(1e-4);
    const rough = sum('relevance', [sum('fusion', [vector('Reader')]), leaf('rounding', 0.001)]);
    const { parts } = scoreStory(rough);
    expect(parts?.map(({ label }) => label)).toEqual(['by meaning, its card', 'rounding']);
  });

  it('says that a result fits the filters if there is no query', () => {
    const tagged = sum('relevance', [
      sum('fusion', [
        sum('keyword', [leaf('constant', 1)], { rank: 2, of: 1, score: 1, unit: 'Reader', unit_kind: 'card' }),
      ]),
    ]);
    expect(scoreStory(tagged).parts).toEqual([{ label: 'fits the filters', value: 1 }]);
  });

  it('takes words of the query for words, whatever they are', () => {
    const words = ['constructor', 'vector', 'keyword', 'card', 'rounding', 'fusion'];
    const coverage = sum(
      'coverage',
      words.map((word) => leaf(word, 0.1)),
    );
    const explanation = sum('relevance', [
      sum('fusion', [sum('keyword', [coverage], { rank: 1, unit: 'Reader', unit_kind: 'card' })]),
    ]);
    const [leg] = scoreStory(explanation).parts ?? [];
    expect(leg?.parts).toEqual(words.map((label) => ({ label, value: 0.1 })));
    expect(scoredInstead(explanation, { matched_unit: CARD })).toBeNull();
    const boosted = sum('relevance', [leaf('constructor', 0.1)]);
    expect(scoreStory(boosted).parts).toEqual([{ label: 'constructor', value: 0.1 }]);
  });

  it('tells a card from a tool of the same name', () => {
    const tool = { kind: 'tool', key: 'tool:fetch', title: 'fetch' } as const;
    const card = { kind: 'card', key: 'card', title: 'fetch' } as const;
    const explanation = found(vector('fetch', 'card'), keyword('fetch', 'tool'));
    const told = scoreStory(explanation).parts?.slice(0, 2);
    expect(told?.map(({ label }) => label)).toEqual(['by meaning, its card', 'by keyword, tool fetch']);
    expect(scoredInstead(explanation, { matched_unit: tool })).toBe(
      'Shown is tool fetch; what scored is its card by meaning.',
    );
    expect(scoredInstead(explanation, { matched_unit: card })).toBe(
      'Shown is its card; what scored is tool fetch by keyword.',
    );
  });

  it('shows an unknown label as it is', () => {
    const other = sum('relevance', [leaf('moonlight', 0.5, { phase: 0.25 })]);
    expect(scoreStory(other).parts).toEqual([{ label: 'moonlight', value: 0.5, note: 'phase 0.25' }]);
  });
});

describe('scoredInstead', () => {
  it.each([
    ['Reader', 'read', TOOL, 'Shown is tool read; what scored is its card by meaning.'],
    ['scan', 'Reader', TOOL, 'Shown is tool read; what scored is tool scan by meaning and its card by keyword.'],
    ['Reader', 'read', CARD, 'Shown is its card; what scored is tool read by keyword.'],
    ['read', 'read', TOOL, null],
  ])('says which part scored: %s by meaning, %s by keyword', (byMeaning, byKeyword, matched_unit, expected) => {
    const explanation = found(vector(byMeaning), keyword(byKeyword));
    expect(scoredInstead(explanation, { matched_unit })).toBe(expected);
  });
});
