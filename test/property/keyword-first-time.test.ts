import fc from 'fast-check';
import { expect, test } from 'vitest';
import { referenceBm25f } from '../../src/engines/memory/reference-scorers.ts';
import { KeywordIndex } from '../../src/search/keyword/keyword-index.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../src/search/text/analyzed-unit.ts';

/** From a word that nearly every unit has to one that few have; the lists of most are long enough to be put off. */
const WORDS = ['weather', 'postgres', 'calendar', 'kubernetes', 'zebra', 'invoice', 'lambda', 'quarry'];
const UNITS = 240;

/** The same numbers for the same seed, spread evenly enough. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function unitFrom(roll: () => number): AnalyzedUnit {
  const had = WORDS.filter((_, i) => roll() < 0.95 - 0.1 * i);
  const name = had.filter(() => roll() < 0.1).join(' ');
  const body = had.flatMap((word) => new Array<string>(1 + Math.floor(3 * roll())).fill(word)).join(' ');
  return analyzeUnit({ name, description: had.filter(() => roll() < 0.4).join(' '), body });
}

const compareRows = (a: number, b: number) => b - a;

function expectObvious(index: KeywordIndex, units: readonly AnalyzedUnit[], query: string, limit: number): void {
  const scores = referenceBm25f(query, units).map(({ value }) => value);
  const expected = [...scores.keys()]
    .filter((row) => scores[row]! > 0)
    .sort((a, b) => scores[b]! - scores[a]! || compareRows(a, b))
    .slice(0, limit);
  expect(index.search(query, { eligible: null, limit, compareRows })).toEqual({
    rows: expected,
    scores: expected.map((row) => scores[row]!),
  });
  expect(index.scoreRows(query, [...scores.keys()])).toEqual(scores);
}

/** Misspelt words bring lists in by way of their neighbors. */
const query = fc
  .array(fc.constantFrom(...WORDS, 'kubernete', 'calender'), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '));

test('a list gives the same whether it is asked for the first time since a write, again, or along with others', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.record({ isWrite: fc.boolean(), query, limit: fc.constantFrom(1, 3, 10, 300) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (seed, steps) => {
        const roll = dice(seed);
        const units = Array.from({ length: UNITS }, () => unitFrom(roll));
        const index = new KeywordIndex();
        for (const [row, unit] of units.entries()) index.add(row, unit);
        for (const { isWrite, query: asked, limit } of steps) {
          if (isWrite) {
            const row = Math.floor(UNITS * roll());
            index.remove(row, units[row]!);
            units[row] = unitFrom(roll);
            index.add(row, units[row]!);
          }
          expectObvious(index, units, asked, limit);
        }
      },
    ),
    { numRuns: 60 },
  );
});
