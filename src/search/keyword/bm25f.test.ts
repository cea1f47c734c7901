import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELDS } from '../../model/entity-parts/unit.ts';
import { maxScoreUnits, TermFrequency, toScoreUnits } from './bm25f.ts';
import { FieldLengths } from './field-lengths.ts';

const posting = fc.record({
  counts: fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 1, 0xf0000000, 0x10, 0x10000001)),
  lengths: fc.array(fc.oneof(fc.nat(30), fc.constant(100_000)), { minLength: FIELDS.length, maxLength: FIELDS.length }),
});
/** Also so small that an impact rounds to 0 or 1. */
const idf = fc.oneof(fc.double({ min: 1e-12, max: 22, noNaN: true }), fc.constantFrom(1e-9, 4e-9));

test('fillScoreUnits gives the same impacts as toScoreUnits', () => {
  fc.assert(
    fc.property(
      fc.array(posting, { maxLength: 20 }),
      idf,
      fc.nat(3),
      fc.constantFrom(1, 13),
      (few, worth, before, copies) => {
        const postings = Array.from({ length: copies }, () => few).flat();
        const lengths = new FieldLengths();
        postings.forEach((each, row) => {
          lengths.set(row, each.lengths);
        });
        const tf = new TermFrequency(lengths);
        const counts = Uint32Array.from(postings, (each) => each.counts);
        const expected = Array.from(counts, (each, row) => toScoreUnits(worth, tf.of(row, each)));
        const values = new Uint32Array(before + postings.length);
        const rows = Uint32Array.from([...new Array(before).fill(0), ...postings.keys()]);
        const all = Uint32Array.from([...new Array(before).fill(1), ...counts]);
        const max = tf.fillScoreUnits(worth, { rows, payload: all }, before, rows.length, values);
        expect([...values.subarray(before)]).toEqual(expected);
        expect(max).toBe(Math.max(0, ...expected));
      },
    ),
    { numRuns: 2000 },
  );
});

test('no impact is above maxScoreUnits', () => {
  const tf = fc.oneof(fc.double({ min: 0, max: 1000, noNaN: true }), fc.constantFrom(1e15, 1e200));
  fc.assert(
    fc.property(idf, tf, (worth, frequency) => {
      expect(toScoreUnits(worth, frequency)).toBeLessThanOrEqual(maxScoreUnits(worth));
    }),
    { numRuns: 2000 },
  );
});
