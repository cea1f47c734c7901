import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calibratedCosine, confidenceFor, cosineEvidence, cosineFloor, type QueryEvidence } from './confidence.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const cosine = fc.double({ min: -1, max: 1, noNaN: true });
const evidence: fc.Arbitrary<QueryEvidence> = fc.record({
  ceiling: fc.double({ min: 0, max: 200, noNaN: true }),
  known: share,
  terms: fc.oneof(fc.constantFrom(0, 1, 2), fc.nat(200)),
  cosines: fc.option(
    fc.record({
      best: cosine,
      near: cosine,
      background: cosine,
      separation: fc.double({ min: 0, max: 15, noNaN: true }),
      floor: fc.double({ min: 0, max: 0.95, noNaN: true }),
    }),
  ),
});

const confidenceOf = (facts: QueryEvidence, own: number | null, part: number) => confidenceFor(facts)(own, part);

describe('confidence', () => {
  it('is between 0 and 1, with and without a vector', () => {
    fc.assert(
      fc.property(evidence, fc.option(cosine), share, (facts, own, part) => {
        const sure = confidenceOf(facts, own, part);
        expect(sure >= 0 && sure <= 1).toBe(true);
      }),
    );
  });

  it('never falls when the cosine rises', () => {
    fc.assert(
      fc.property(evidence, cosine, cosine, share, (facts, a, b, part) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(confidenceOf(facts, high, part)).toBeGreaterThanOrEqual(confidenceOf(facts, low, part));
      }),
    );
  });

  it('never falls when the keyword score rises, even for short queries', () => {
    fc.assert(
      fc.property(evidence, fc.option(cosine), share, share, (facts, own, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(confidenceOf(facts, own, high)).toBeGreaterThanOrEqual(confidenceOf(facts, own, low));
      }),
    );
  });

  it('is high for a good match and low for a bad one', () => {
    const near = { best: 0.7, near: 0.45, background: 0.25, separation: 4, floor: 0 };
    const far = { best: 0.2, near: 0.18, background: 0.1, separation: 2, floor: 0 };
    const facts = { ceiling: 20, known: 1, terms: 5 };
    expect(confidenceOf({ ...facts, cosines: near }, 0.7, 0.8)).toBeGreaterThan(0.9);
    expect(confidenceOf({ ...facts, known: 0, cosines: far }, 0.2, 0)).toBeLessThan(0.3);
    expect(confidenceOf({ ...facts, cosines: null }, null, 0.9)).toBeGreaterThan(0.9);
    expect(confidenceOf({ ...facts, cosines: null }, null, 0.05)).toBeLessThan(0.3);
  });
});

/** So many texts that the prior does not matter. */
const MANY = 1e9;

describe('cosineFloor', () => {
  const along = (length: number) => Float32Array.of(length, 0);

  it('is 0 with too few texts', () => {
    expect([0, 1, 2, 5].map((count) => cosineFloor(along(1), count))).toEqual([0, 0, 0, 0]);
    // Ten unrelated texts.
    expect(cosineFloor(along(Math.sqrt(0.1)), 10)).toBe(0);
    expect(cosineFloor(along(0.95), 200)).toBeGreaterThan(0.4);
  });

  it('is 0 for models with different vectors for different texts', () => {
    expect([null, along(0), along(0.3), along(0.59)].map((mean) => cosineFloor(mean, MANY))).toEqual([0, 0, 0, 0]);
    expect(calibratedCosine(-0.3, 0)).toBe(-0.3);
  });

  it('is above 0 for a model with similar vectors for all texts', () => {
    const floor = cosineFloor(along(0.9), MANY);
    expect(floor).toBeCloseTo(0.46, 5);
    expect(calibratedCosine(floor, floor)).toBe(0);
    expect(calibratedCosine(1, floor)).toBe(1);
    expect(cosineFloor(along(2), MANY)).toBe(0.95);
  });

  it('never changes the order of cosines', () => {
    fc.assert(
      fc.property(cosine, cosine, fc.double({ min: 0, max: 0.95, noNaN: true }), (a, b, floor) => {
        if (a <= b) expect(calibratedCosine(a, floor)).toBeLessThanOrEqual(calibratedCosine(b, floor));
      }),
    );
  });
});

describe('cosineEvidence', () => {
  const query = Float32Array.of(3, 4);

  it('is null for an empty list', () => {
    expect(cosineEvidence([], query, null, 0)).toBeNull();
  });

  it('has the best cosine, the mean of the best 20, and the cosine with the mean vector', () => {
    const cosines = [0.8, ...Array.from({ length: 19 }, () => 0.4), ...Array.from({ length: 50 }, () => 0)];
    const shown = cosineEvidence(cosines, query, Float32Array.of(0.5, 0), MANY)!;
    expect(shown).toMatchObject({ best: 0.8, floor: 0 });
    expect(shown.near).toBeCloseTo((0.8 + 19 * 0.4) / 20, 12);
    expect(shown.background).toBeCloseTo(0.3, 6);
  });

  it('is finite without a mean vector, for a zero query, and with one cosine', () => {
    for (const shown of [
      cosineEvidence([0.4], query, null, 0),
      cosineEvidence([0.4], Float32Array.of(0, 0), query, MANY),
    ]) {
      expect(Object.values(shown!).every(Number.isFinite)).toBe(true);
    }
  });
});
