import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auroc } from './auroc.ts';

describe('auroc', () => {
  it('is 1 for lists apart, 0 for lists the wrong way round, a half for the same list', () => {
    expect(auroc([3, 4], [1, 2])).toBe(1);
    expect(auroc([1, 2], [3, 4])).toBe(0);
    expect(auroc([1, 2, 2], [1, 2, 2])).toBe(0.5);
    expect(auroc([], [1])).toBeNaN();
  });

  it('is the share of pairs in the right order', () => {
    const list = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(list, list, (positives, negatives) => {
        let right = 0;
        for (const a of positives) for (const b of negatives) right += a > b ? 1 : a === b ? 0.5 : 0;
        expect(auroc(positives, negatives)).toBeCloseTo(right / (positives.length * negatives.length), 12);
      }),
    );
  });
});
