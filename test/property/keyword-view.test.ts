import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bitset } from '../../src/search/filter/bitset.ts';
import type { KeywordReader } from '../../src/search/keyword/keyword-reader.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../src/search/text/analyzed-unit.ts';
import { keywordIndex } from '../support/small-pages.ts';

const WORDS = [
  'weather',
  'wether',
  'weathers',
  'postgres',
  'postgress',
  'calendar',
  'zebra',
  'lambda',
  'quarry',
  'D40',
];
const words = (max: number) => fc.array(fc.constantFrom(...WORDS), { maxLength: max }).map((some) => some.join(' '));
const unit: fc.Arbitrary<AnalyzedUnit> = fc
  .record({ name: words(2), description: words(8), body: words(30) })
  .map((fields) => analyzeUnit(fields));
const query = fc
  .array(fc.constantFrom(...WORDS, 'weath', 'calender', 'zebras', 'nothing'), { minLength: 1, maxLength: 4 })
  .map((some) => some.join(' '));
const compareRows = (a: number, b: number) => a - b;

/** Everything that a reader tells of a query. */
function toldBy(reader: KeywordReader, asked: string, rows: readonly number[], limit: number, eligible: Bitset) {
  return {
    size: reader.size,
    found: reader.search(asked, { eligible, limit, compareRows }),
    covered: reader.searchCoverage(asked, { eligible, limit, compareRows }),
    scores: reader.scoreRows(asked, rows),
    ceiling: reader.ceiling(asked),
    fields: rows.map((row) => reader.matchedFields(asked, row)),
    explained: rows.map((row) => reader.explain(asked, row)),
    holders: [reader.rowsWith(['zebra', 'lambda']), reader.rowsWith(['postgr'], 3), reader.rowsWith(['d40'], 1)],
  };
}

test('a view of some rows reads as an index that has only these rows', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ unit, isSeen: fc.boolean() }), { minLength: 1, maxLength: 150, size: 'max' }),
      fc.array(fc.record({ asked: query, limit: fc.constantFrom(1, 5, 200) }), { minLength: 1, maxLength: 6 }),
      (units, queries) => {
        const all = keywordIndex();
        const some = keywordIndex();
        const seen = new Bitset();
        for (const [row, { unit: one, isSeen }] of units.entries()) {
          all.add(row, one);
          if (!isSeen) continue;
          some.add(row, one);
          seen.add(row);
        }
        const view = all.within(seen);
        const rows = [...seen];
        // Each twice: the first use of a list may leave values pending.
        for (const { asked, limit } of [...queries, ...queries]) {
          expect(toldBy(view, asked, rows, limit, seen)).toEqual(toldBy(some, asked, rows, limit, seen));
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a view of all rows reads as the index itself, and spelling of the index is not lost by a view', () => {
  const index = keywordIndex();
  const only = new Bitset();
  for (let row = 0; row < 1500; row++) index.add(row, analyzeUnit({ name: `word${row}x zebra` }));
  only.add(3);
  // More new terms than are kept apart: the view merges the vocabulary.
  expect(index.within(only).search('zebr', { eligible: only, limit: 5, compareRows }).rows).toEqual([3]);
  expect(index.search('word14', { eligible: null, limit: 20, compareRows }).rows).not.toEqual([]);
  const all = Bitset.of(Array.from({ length: 1500 }, (_, row) => row));
  expect(toldBy(index.within(all), 'zebra word7x', [1, 7], 9, all)).toEqual(
    toldBy(index, 'zebra word7x', [1, 7], 9, all),
  );
});
