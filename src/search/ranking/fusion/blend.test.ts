import { describe, expect, it } from 'vitest';
import { blendWeights, conversationWeights, separation, spreadOf } from './blend.ts';

const falling = (count: number, from: number, step: number) => Array.from({ length: count }, (_, i) => from - i * step);

const facts = (terms: number, bestCosine = 0.5, explained = 0.2) => ({ terms, bestCosine, explained });

describe('blendWeights', () => {
  it('add up to 1, and one leg has weight 1 if the other found nothing', () => {
    const { keyword, vector } = blendWeights(falling(50, 9, 0.1), falling(50, 0.8, 0.01), facts(8));
    expect(keyword + vector).toBeCloseTo(1, 12);
    expect(blendWeights([], [0.5], facts(3))).toEqual({ keyword: 0, vector: 1 });
    expect(blendWeights([4], [], facts(3))).toEqual({ keyword: 1, vector: 0 });
  });

  it('favor the leg with a clear best result', () => {
    const flat = falling(50, 0.5, 0.001);
    const outstanding = [20, ...falling(49, 3, 0.01)];
    expect(blendWeights(outstanding, flat, facts(10)).keyword).toBeGreaterThan(
      blendWeights(flat, flat, facts(10)).keyword,
    );
  });

  it('favor the vector leg for short queries', () => {
    const list = falling(50, 5, 0.05);
    expect(blendWeights(list, list, facts(2)).vector).toBeGreaterThan(blendWeights(list, list, facts(40)).vector);
  });

  it('favor the vector leg with a high best cosine', () => {
    const list = falling(50, 5, 0.05);
    expect(blendWeights(list, list, facts(9, 0.8)).vector).toBeGreaterThan(
      blendWeights(list, list, facts(9, 0.3)).vector,
    );
  });

  it('favor the keyword leg if its best hit has most of the query', () => {
    const list = falling(50, 5, 0.05);
    const vectorShare = (explained: number) => blendWeights(list, list, facts(9, 0.5, explained)).vector;
    expect(vectorShare(0.9)).toBeLessThan(vectorShare(0.4));
    expect(vectorShare(0.1)).toBe(vectorShare(0.4));
  });

  it('favor the vector leg if the best keyword hit has next to nothing of the query', () => {
    const list = falling(50, 5, 0.05);
    const vectorShare = (explained: number) => blendWeights(list, list, facts(100, 0.4, explained)).vector;
    expect(vectorShare(0.04)).toBe(vectorShare(0.2));
    expect(vectorShare(0.02)).toBeCloseTo(vectorShare(0.04) + 0.5, 12);
    expect(vectorShare(0.01)).toBe(0.9);
  });

  it('do not change for a text that is longer than a long one', () => {
    const list = falling(50, 5, 0.05);
    const vectorShare = (terms: number) => blendWeights(list, list, facts(terms, 0.5, 0.2)).vector;
    expect(vectorShare(30)).toBeGreaterThan(vectorShare(48));
    expect(vectorShare(300)).toBeCloseTo(vectorShare(48), 1);
  });

  it('are above 0 for both legs if both found something', () => {
    const list = falling(50, 5, 0.05);
    expect(blendWeights(list, list, facts(1, 5)).keyword).toBeGreaterThan(0);
    expect(blendWeights(list, list, facts(99, -5)).vector).toBeGreaterThan(0);
  });

  it('treat a single match as a clear best result', () => {
    expect(separation([3])).toBeGreaterThan(separation(falling(20, 3, 0.1)));
    expect(separation([])).toBe(0);
  });
});

describe('spreadOf', () => {
  it('has an infinite deviation if all scores are equal', () => {
    for (const scores of [[], [2], [2, 2, 2], [0.001, 0.0010000000000000007]]) {
      expect(spreadOf(scores).deviation).toBe(Number.POSITIVE_INFINITY);
    }
    expect(spreadOf([1, 3])).toEqual({ mean: 2, deviation: 1 });
  });
});

describe('the weights of a search of memories', () => {
  const lists: [number[], number[]] = [
    [3, 1],
    [3, 1],
  ];
  const share = (explained: number, bestCosine = 0.55) =>
    conversationWeights(...lists, { terms: 4, bestCosine, explained }).vector;

  it('leave most to keywords where a hit has much of the query', () => {
    expect(share(0.3)).toBeCloseTo(0.44, 12);
    expect(share(0.9)).toBe(share(0.18));
  });

  it('leave the more to the model the less of the query a hit has', () => {
    expect(share(0.1)).toBeCloseTo(0.84, 12);
    expect(share(0.02)).toBe(1);
  });

  it('leave more to the model without a near neighbor, and where its best result is clearer', () => {
    expect(share(0.3, 0.3)).toBeCloseTo(share(0.3) + 0.1, 12);
    const clear = conversationWeights([3, 2.9, 2.8, 2.7], [0.9, 0.1], { terms: 4, bestCosine: 0.55, explained: 0.3 });
    expect(clear.vector).toBeGreaterThan(share(0.3));
  });

  it('leave everything to the only leg that found something', () => {
    const facts = { terms: 4, bestCosine: 0.7, explained: 0.3 };
    expect(conversationWeights([], [0.7], facts)).toEqual({ keyword: 0, vector: 1 });
    expect(conversationWeights([3], [], facts)).toEqual({ keyword: 1, vector: 0 });
  });
});
