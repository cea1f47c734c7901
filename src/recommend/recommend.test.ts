import { describe, expect, it } from 'vitest';
import { FACETS } from '../model/entity-parts/facets.ts';
import { entropy, questionsFor } from './clarification.ts';
import { relaxations } from './relaxation.ts';
import { bestFitFirst, optionCount } from './selection.ts';
import { Sessions } from './sessions.ts';

describe('the selection (TP-5)', () => {
  const of = (score: number, stability: 'stable' | 'emerging' | 'unknown') => ({ score, stability });
  it.each([
    ['a near split', [of(0.96, 'stable'), of(0.82, 'emerging')], 2],
    ['a near split, the emerging one first', [of(0.96, 'emerging'), of(0.82, 'stable')], 2],
    ['exactly a fifth better', [of(0.96, 'stable'), of(0.8, 'emerging')], 1],
    ['the same stability', [of(0.96, 'stable'), of(0.82, 'stable')], 1],
    ['nothing known of one', [of(0.96, 'stable'), of(0.82, 'unknown')], 1],
    ['a second without a score', [of(0.96, 'stable'), of(0, 'emerging')], 1],
    ['one result', [of(0.96, 'stable')], 1],
    ['no result', [], 0],
  ])('of %s', (_, ranked, count) => {
    expect(optionCount(ranked)).toBe(count);
  });
});

describe('the order of the options', () => {
  const of = (path: string, relevance_score: number, confidence: number) => ({ path, relevance_score, confidence });
  const fits = (...found: ReturnType<typeof of>[]) =>
    bestFitFirst(found).map(({ path, relevance_score }) => [path, relevance_score]);

  it('has no option first that is hardly a match, whichever of two near scores is better', () => {
    expect(fits(of('/database', 1, 0.05), of('/orm', 0.98, 0.4))[0]).toEqual(['/orm', 0.98]);
    expect(fits(of('/orm', 1, 0.4), of('/database', 0.98, 0.05))[0]).toEqual(['/orm', 1]);
  });

  it('keeps scores from half of the best confidence on, and lowers others in proportion', () => {
    expect(fits(of('/a', 1, 0.2), of('/b', 0.9, 0.4), of('/c', 0.8, 0.1))).toEqual([
      ['/a', 1],
      ['/b', 0.9],
      ['/c', 0.4],
    ]);
  });

  it('is that of the search where scores are equal or no confidence is known', () => {
    expect(fits(of('/b', 1, 0.4), of('/a', 1, 0.4)).map(([path]) => path)).toEqual(['/b', '/a']);
    expect(fits(of('/b', 0.9, 0), of('/a', 0.1, 0))).toEqual([
      ['/b', 0.9],
      ['/a', 0.1],
    ]);
    expect(bestFitFirst([])).toEqual([]);
  });
});

describe('the relaxation (TP-7)', () => {
  it('drops deployment, license and category, in this order, and never the language', () => {
    const where = { language: 'ts', category: 'orm', license: 'MIT', deployment: 'self-hosted' };
    expect(relaxations(where)).toEqual([
      { where, relaxed: [] },
      { where: { language: 'ts', category: 'orm', license: 'MIT' }, relaxed: ['deployment'] },
      { where: { language: 'ts', category: 'orm' }, relaxed: ['deployment', 'license'] },
      { where: { language: 'ts' }, relaxed: ['deployment', 'license', 'category'] },
    ]);
  });

  it('drops only what is given, in another order if asked', () => {
    expect(relaxations({})).toEqual([{ where: {}, relaxed: [] }]);
    const steps = relaxations({ language: 'ts', license: 'MIT' }, ['language', 'license']);
    expect(steps.map(({ relaxed }) => relaxed)).toEqual([[], ['language'], ['language', 'license']]);
  });
});

describe('the clarification (TP-8)', () => {
  it.each([
    [[], 0],
    [[7], 0],
    [[3, 3], 1],
    [[1, 1, 1, 1], 2],
    [[0, 0], 0],
  ])('the entropy of %j is %d bits', (counts, bits) => {
    expect(entropy(counts)).toBe(bits);
  });

  const counts = {
    language: [
      { value: 'typescript', count: 5 },
      { value: 'go', count: 5 },
    ],
    category: [
      { value: 'orm', count: 9 },
      { value: 'cache', count: 1 },
    ],
    license: [{ value: 'mit', count: 10 }],
    deployment: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => ({ value: `d${n}`, count: 1 })),
  };
  const none = { where: {}, asked: [], query: 'something' };

  it('asks about the best split first, with options by frequency', () => {
    const asked = questionsFor(counts, 10, none, 3);
    expect(asked.map(({ dimension }) => dimension)).toEqual(['deployment', 'language', 'category']);
    expect(asked[0]!.options).toHaveLength(8);
    expect(asked[2]!.options).toEqual(['orm', 'cache']);
    expect(questionsFor(counts, 10, none, 1)).toHaveLength(1);
  });

  it('asks nothing of few candidates, of what is known, or twice', () => {
    expect(questionsFor(counts, 3, none, 3)).toEqual([]);
    const known = { ...none, where: { deployment: 'd1' }, asked: ['language' as const] };
    expect(questionsFor(counts, 10, known, 3).map(({ dimension }) => dimension)).toEqual(['category']);
    expect(questionsFor({}, 10, none, 3)).toEqual([]);
    expect(questionsFor(counts, 10, { ...none, asked: FACETS }, 3)).toEqual([]);
  });

  it.each([
    ['a queue for TypeScript', ['category']],
    ['a queue in Go.', ['category']],
    ['an orm, go', []],
    ['a go-cart, cached by typescripted forms', ['language', 'category']],
  ])('of %j asks about %j, not about what it says', (query, dimensions) => {
    const { deployment: _, ...three } = counts;
    expect(questionsFor(three, 10, { ...none, query }, 3).map(({ dimension }) => dimension)).toEqual(dimensions);
  });
});

describe('sessions', () => {
  it('expire, and are at most so many', () => {
    const sessions = new Sessions<number>({ max: 2, ttlMs: 100 });
    sessions.put('a', 1, 0);
    sessions.put('b', 2, 10);
    expect([sessions.get('a', 99), sessions.get('a', 100), sessions.get('b', 100)]).toEqual([1, undefined, 2]);
    sessions.put('c', 3, 20);
    expect([sessions.get('a', 20), sessions.get('b', 20), sessions.get('c', 20), sessions.size]).toEqual([
      undefined,
      2,
      3,
      2,
    ]);
    sessions.put('b', 4, 30);
    sessions.put('d', 5, 40);
    expect([sessions.get('b', 40), sessions.get('c', 40), sessions.size]).toEqual([4, undefined, 2]);
  });
});
