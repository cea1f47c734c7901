import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Candidate } from '../candidates/candidate.ts';
import { pooledConfidence } from './pool-confidence.ts';

interface Estimated {
  readonly estimate: number;
  readonly depth?: number;
  readonly isNamed?: boolean;
}

/** The confidence of each candidate, in order; undefined where it is left alone. */
function pooled(estimates: readonly Estimated[]): readonly (number | undefined)[] {
  const candidates = estimates.map(({ depth = 0 }) => {
    const result = { units: [], isPart: false };
    return new Candidate(result, {} as Candidate['best'], 0, depth, undefined);
  });
  const at = (candidate: Candidate) => estimates[candidates.indexOf(candidate)]!;
  const confidences = pooledConfidence(
    candidates,
    (candidate) => at(candidate).estimate,
    (candidate) => at(candidate).isNamed === true,
  );
  return candidates.map(({ result }) => confidences.get(result));
}

const plain = (...estimates: number[]) => pooled(estimates.map((estimate) => ({ estimate })));

describe('pooledConfidence', () => {
  it('keeps estimates that fall', () => {
    expect(plain(0.9, 0.4, 0.4, 0.1)).toEqual([0.9, 0.4, 0.4, 0.1]);
    expect(plain()).toEqual([]);
  });

  it('gives neighbors in the wrong order their mean', () => {
    expect(plain(0.3, 0.7, 0.1)).toEqual([0.5, 0.5, 0.1]);
    expect(plain(0.8, 0.1, 0.2, 0.6)).toEqual([0.8, 0.3, 0.3, 0.3]);
  });

  it('leaves exactly named candidates alone', () => {
    expect(pooled([{ estimate: 0.2, isNamed: true }, { estimate: 0.3 }, { estimate: 0.5 }])).toEqual([
      undefined,
      0.4,
      0.4,
    ]);
  });

  it('does not change the first results for what only a deeper search finds', () => {
    const first = [{ estimate: 0.6 }, { estimate: 0.2 }];
    const deeper = [
      { estimate: 0.9, depth: 1 },
      { estimate: 0.1, depth: 1 },
    ];
    expect(pooled([...first, ...deeper])).toEqual([0.6, 0.2, 0.2, 0.1]);
  });

  it('never rises, and expects as many right results as the estimates', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 }), (estimates) => {
        const confidences = plain(...estimates) as number[];
        const total = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0);
        expect(confidences).toEqual(confidences.toSorted((a, b) => b - a));
        expect(Math.abs(total(confidences) - total(estimates))).toBeLessThan(0.0001 * Math.max(1, estimates.length));
      }),
    );
  });
});
