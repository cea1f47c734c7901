import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UnitKind } from '../../src/model/entity-parts/unit.ts';
import { BoostIndex } from '../../src/search/keyword/boost/boost-index.ts';
import { KeywordIndex } from '../../src/search/keyword/keyword-index.ts';
import { type AnalyzedUnit, analyzeUnit } from '../../src/search/text/analyzed-unit.ts';
import { boostIndex, keywordIndex } from '../support/small-pages.ts';

const word = fc.constantFrom(
  'tide',
  'tides',
  'harbor',
  'lamp',
  'lampshade',
  'rope',
  'ropewalk',
  'sail',
  's3',
  'getUser',
  '東京',
);
const unit = fc
  .array(word, { maxLength: 6 })
  .map((words) => analyzeUnit({ name: words[0] ?? '', body: words.join(' ') }));
/** What some rows have after a write; null: nothing. */
const write = fc.dictionary(fc.integer({ min: 0, max: 40 }).map(String), fc.option(unit), { maxKeys: 30 });
const QUERIES = ['tide', 'harbor lamp', 'lamp', 'rope', 'tid', 'roep', 'getUser', '東京', 's3 sail'];
const ALL = { eligible: null, limit: 100, compareRows: (a: number, b: number) => a - b };
const kindOf = (row: number): UnitKind => (['card', 'tool', 'chunk'] as const)[row % 3]!;
const place = (row: number) => ({ cardRow: row - (row % 3), kind: kindOf(row) });

/** Two indexes with the same rows: one is changed row by row, the other as a whole. */
class Pair {
  readonly texts = new Map<number, AnalyzedUnit>();
  readonly slow = { keyword: new KeywordIndex(), boost: new BoostIndex() };
  readonly fast = { keyword: keywordIndex(), boost: boostIndex() };

  changes(given: Readonly<Record<string, AnalyzedUnit | null>>) {
    return Object.entries(given)
      .map(([key, after]) => ({
        row: Number(key),
        before: this.texts.get(Number(key)) ?? null,
        after,
        ...place(Number(key)),
      }))
      .sort((a, b) => a.row - b.row);
  }

  *prepare(changes: ReturnType<Pair['changes']>) {
    return [yield* this.fast.keyword.prepare(changes), yield* this.fast.boost.prepare(changes)];
  }

  changeSlowly(changes: ReturnType<Pair['changes']>): void {
    const { keyword, boost } = this.slow;
    for (const { row, before } of changes) {
      if (before === null) continue;
      keyword.remove(row, before);
      boost.remove(row, before);
    }
    for (const { row, after } of changes) {
      if (after === null) this.texts.delete(row);
      else {
        keyword.add(row, after);
        boost.add(row, after, place(row));
        this.texts.set(row, after);
      }
    }
  }

  answers({ keyword, boost }: Pair['slow']) {
    return {
      found: QUERIES.map((query) => keyword.search(query, ALL)),
      boosted: QUERIES.map((query) => boost.search(query.toLowerCase().split(' '), ALL)),
      sizes: [keyword.size, boost.size],
    };
  }

  expectSame(): void {
    expect(this.answers(this.fast)).toEqual(this.answers(this.slow));
    expect(this.fast.keyword.toParts()).toEqual(this.slow.keyword.toParts());
    const { cards: _, ...parts } = this.fast.boost.toParts();
    expect(parts).toEqual((({ cards: __, ...rest }) => rest)(this.slow.boost.toParts()));
  }
}

/** Runs all slices, and `between` after each. */
function run<T>(work: Generator<void, T>, between: () => void): T {
  for (;;) {
    const slice = work.next();
    between();
    if (slice.done === true) return slice.value;
  }
}

test('a prepared change is the same as its rows one by one, and is not seen before it is applied', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(write, fc.boolean()), { maxLength: 8 }), (writes) => {
      const pair = new Pair();
      for (const [given, isApplied] of writes) {
        const changes = pair.changes(given);
        const before = pair.answers(pair.fast);
        const parts = run(pair.prepare(changes), () => expect(pair.answers(pair.fast)).toEqual(before));
        if (isApplied) {
          for (const part of parts) part.apply();
          pair.changeSlowly(changes);
          expect(pair.answers(pair.fast)).toEqual(pair.answers(pair.slow));
          for (const part of parts) run(part.sweep(), () => {});
        } else for (const part of parts) part.discard();
        pair.expectSame();
      }
    }),
    { numRuns: 300 },
  );
});

test('a change that does not fit the index is refused, and leaves it as it was', () => {
  const pair = new Pair();
  const changes = pair.changes({ 0: analyzeUnit({ name: 'tide lamp' }), 3: analyzeUnit({ name: 'tide' }) });
  for (const part of run(pair.prepare(changes), () => {})) part.apply();
  pair.changeSlowly(changes);
  const wrong = { row: 3, before: analyzeUnit({ name: 'lamp' }), after: null, ...place(3) };
  const fresh = { row: 1, before: null, after: analyzeUnit({ name: 'tide rope' }), ...place(1) };
  for (const broken of [[fresh, wrong], [{ ...fresh, row: 0 }], [{ ...wrong, row: 6 }]]) {
    expect(() => run(pair.fast.keyword.prepare(broken), () => {})).toThrow('out of sync');
  }
  expect(() => run(pair.fast.boost.prepare([fresh, wrong]), () => {})).toThrow('out of sync');
  pair.expectSame();
});
