import { describe, expect, it } from 'vitest';
import { isMissed, parseLimit } from './limits.ts';

describe('parseLimit', () => {
  it.each([
    ['ndcg@10=0.7', { metric: 'ndcg@10', value: 0.7 }],
    ['zero_hit=0', { metric: 'zero_hit', value: 0 }],
    ['hit@1=1', { metric: 'hit@1', value: 1 }],
  ])('reads %s', (text, limit) => {
    expect(parseLimit(text)).toEqual(limit);
  });

  it.each([
    ['ndcg@10=2', 'ndcg@10 must be from 0 to 1'],
    ['mrr=-0.1', 'mrr must be from 0 to 1'],
    ['mrr=Infinity', 'mrr must be from 0 to 1'],
    ['ndcg@11=0.7', 'must be a metric and a number'],
    ['ndcg@10', 'must be a metric and a number'],
    ['ndcg@10=', 'must be a metric and a number'],
    ['ndcg@10=high', 'must be a metric and a number'],
    ['ndcg@10=0.7=0.8', 'must be a metric and a number'],
    ['', 'must be a metric and a number'],
  ])('refuses %s', (text, reason) => {
    expect(() => parseLimit(text)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        field: 'fail-under',
        message: `--fail-under is '${text}': ${reason}.`,
        hint: expect.stringContaining('ndcg@10=0.7'),
      }),
    );
  });
});

describe('isMissed', () => {
  it.each([
    ['ndcg@10=0.7', 0.69, true],
    ['ndcg@10=0.7', 0.7, false],
    ['zero_hit=0.1', 0.2, true],
    ['zero_hit=0.1', 0.1, false],
  ])('%s by %d: %s', (text, measured, missed) => {
    expect(isMissed(parseLimit(text), measured)).toBe(missed);
  });
});
