import fc from 'fast-check';
import { expect, test } from 'vitest';
import { referenceBm25f } from '../../src/engines/memory/reference-scorers.ts';
import type { KeywordIndex } from '../../src/search/keyword/keyword-index.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../src/search/text/analyzed-unit.ts';
import { keywordIndex } from '../support/small-pages.ts';

/** From frequent to rare. Most posting lists are long enough for pending values. */
const WORDS = ['weather', 'postgres', 'calendar', 'kubernetes', 'zebra', 'invoice', 'lambda', 'quarry'];
const UNITS = 240;

/** A seeded random generator. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function unitFrom(random: () => number): AnalyzedUnit {
  const words = WORDS.filter((_, i) => random() < 0.95 - 0.1 * i);
  const name = words.filter(() => random() < 0.1).join(' ');
  const body = words.flatMap((word) => new Array<string>(1 + Math.floor(3 * random())).fill(word)).join(' ');
  return analyzeUnit({ name, description: words.filter(() => random() < 0.4).join(' '), body });
}

const compareRows = (a: number, b: number) => b - a;

function expectReference(index: KeywordIndex, units: readonly AnalyzedUnit[], query: string, limit: number): void {
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

/** With misspelled words, which have fuzzy matches. */
const query = fc
  .array(fc.constantFrom(...WORDS, 'kubernete', 'calender'), { minLength: 1, maxLength: 5 })
  .map((words) => words.join(' '));

test('scores are the same for the first use of a list after a write and for later uses', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.record({ isWrite: fc.boolean(), query, limit: fc.constantFrom(1, 3, 10, 300) }), {
        minLength: 1,
        maxLength: 6,
      }),
      (seed, steps) => {
        const random = randomFrom(seed);
        const units = Array.from({ length: UNITS }, () => unitFrom(random));
        const index = keywordIndex();
        for (const [row, unit] of units.entries()) index.add(row, unit);
        for (const { isWrite, query: asked, limit } of steps) {
          if (isWrite) {
            const row = Math.floor(UNITS * random());
            index.remove(row, units[row]!);
            units[row] = unitFrom(random);
            index.add(row, units[row]!);
          }
          expectReference(index, units, asked, limit);
        }
      },
    ),
    { numRuns: 60 },
  );
});
