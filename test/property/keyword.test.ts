import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIELDS, type Field } from '../../src/model/entity-parts/unit.ts';
import { Bitset } from '../../src/search/filter/bitset.ts';
import { FIELD_B, FIELD_WEIGHTS, K1, SCORE_UNITS } from '../../src/search/keyword/bm25f.ts';
import { KeywordIndex } from '../../src/search/keyword/keyword-index.ts';
import { analyzeUnit } from '../../src/search/text/analyzed-unit.ts';
import { analyze, analyzeQuery } from '../../src/search/text/analyzer.ts';
import { addUpError } from '../support/add-up-error.ts';
import { keywordIndex } from '../support/small-pages.ts';

type Texts = Partial<Record<Field, string>>;

/** Few words, so that they repeat, with prefixes, plurals and misspellings. */
const WORDS = [
  'query',
  'queries',
  'postgres',
  'postgers',
  'pos',
  'weather',
  'wether',
  'weazher',
  'getUser',
  'user',
  's3',
  '東京',
  'kubernetes',
  'kubernete',
  'kub',
  'the',
  'filesystem',
  'filesytem',
  'fylesistem',
  'zebra',
];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
const texts: fc.Arbitrary<Texts> = fc
  .array(fc.tuple(fc.constantFrom(...FIELDS), text), { maxLength: 4 })
  .map((pairs) => Object.fromEntries(pairs));
const writes = fc.array(fc.record({ row: fc.nat(11), texts: fc.option(texts, { nil: undefined }) }), { maxLength: 30 });

/** The formula without an index: loops over arrays of words. */
class ReferenceScorer {
  readonly #units = new Map<number, Map<Field, string[]>>();

  put(row: number, fields: Texts): void {
    this.#units.set(row, new Map(FIELDS.map((field) => [field, analyze(fields[field] ?? '')])));
  }

  remove(row: number): void {
    this.#units.delete(row);
  }

  #frequency(term: string): number {
    return [...this.#units.values()].filter((unit) => [...unit.values()].some((words) => words.includes(term))).length;
  }

  #averageLength(field: Field): number {
    const lengths = [...this.#units.values()].map((unit) => unit.get(field)!.length).filter((length) => length > 0);
    return lengths.length === 0 ? 0 : lengths.reduce((a, b) => a + b) / lengths.length;
  }

  #termUnits(term: string, row: number): number {
    let tf = 0;
    for (const field of FIELDS) {
      const words = this.#units.get(row)!.get(field)!;
      const count = Math.min(15, words.filter((each) => each === term).length);
      if (count === 0) continue;
      const b = FIELD_B[field];
      const norm = 1 - b + (b / this.#averageLength(field)) * words.length;
      tf += (FIELD_WEIGHTS[field] * count) / norm;
    }
    const n = this.#frequency(term);
    const idf = Math.log(1 + (this.#units.size - n + 0.5) / (n + 0.5));
    return tf === 0 ? 0 : Math.max(1, Math.round((SCORE_UNITS * idf * tf) / (K1 + tf)));
  }

  /** The term itself, or the best fuzzy matches if no unit has it. */
  #matches(term: string): { term: string; factor: number }[] {
    if (this.#frequency(term) > 0) return [{ term, factor: 1 }];
    const vocabulary = new Set([...this.#units.values()].flatMap((unit) => [...unit.values()].flat()));
    const limit = /^\p{L}{4,}$/u.test(term) ? (term.length < 8 ? 1 : 2) : 0;
    return [...vocabulary]
      .map((other) => {
        const prefix = term.length >= 3 && other.startsWith(term) ? 0.7 : 0;
        const distance = other[0] === term[0] ? slowDistance(term, other) : 99;
        return { term: other, factor: Math.max(prefix, distance > limit ? 0 : distance === 1 ? 0.7 : 0.5) };
      })
      .filter(({ factor }) => factor > 0)
      .sort(
        (a, b) =>
          b.factor - a.factor || this.#frequency(b.term) - this.#frequency(a.term) || (a.term < b.term ? -1 : 1),
      )
      .slice(0, 8);
  }

  score(query: string, row: number): number {
    let total = 0;
    for (const { term, frequency } of analyzeQuery(query)) {
      const values = this.#matches(term).map((match) => {
        const units = this.#termUnits(match.term, row);
        return match.factor === 1 || units === 0 ? units : Math.max(1, Math.round(units * match.factor));
      });
      total += frequency * Math.max(0, ...values);
    }
    return total / SCORE_UNITS;
  }

  search(query: string, eligible: Bitset | null, limit: number): { rows: number[]; scores: number[] } {
    const hits = [...this.#units.keys()]
      .filter((row) => eligible === null || eligible.has(row))
      .map((row) => ({ row, score: this.score(query, row) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || b.row - a.row)
      .slice(0, limit);
    return { rows: hits.map(({ row }) => row), scores: hits.map(({ score }) => score) };
  }

  rows(): number[] {
    return [...this.#units.keys()];
  }
}

/** The edit distance by its recursive definition. */
function slowDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const x = a.slice(0, -1);
  const y = b.slice(0, -1);
  if (a.at(-1) === b.at(-1)) return slowDistance(x, y);
  if (Math.abs(a.length - b.length) > 3) return 99;
  const swapped = a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1);
  return (
    1 +
    Math.min(
      slowDistance(x, b),
      slowDistance(a, y),
      slowDistance(x, y),
      swapped ? slowDistance(a.slice(0, -2), b.slice(0, -2)) : 99,
    )
  );
}

/** Higher rows first, so that breaking ties by insertion order would fail the test. */
const compareRows = (a: number, b: number) => b - a;

function apply(history: readonly { row: number; texts: Texts | undefined }[]) {
  const index = keywordIndex();
  const oracle = new ReferenceScorer();
  const stored = new Map<number, Texts>();
  for (const { row, texts: fields } of history) {
    const old = stored.get(row);
    if (old !== undefined) {
      index.remove(row, analyzeUnit(old));
      oracle.remove(row);
      stored.delete(row);
    }
    if (fields === undefined) continue;
    index.add(row, analyzeUnit(fields));
    oracle.put(row, fields);
    stored.set(row, fields);
  }
  return { index, oracle };
}

const query = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
const eligibleRows = fc.option(fc.uniqueArray(fc.nat(11)), { nil: null });

test('search gives exactly the scores of the formula, after any writes', () => {
  fc.assert(
    fc.property(writes, query, eligibleRows, fc.nat(8), (history, asked, allowed, limit) => {
      const { index, oracle } = apply(history);
      const eligible = allowed === null ? null : Bitset.of(allowed);
      const found = index.search(asked, { eligible, limit, compareRows });
      expect(found).toEqual(oracle.search(asked, eligible, limit));
    }),
    { numRuns: 500 },
  );
});

test('a search between writes leaves no stale cache', () => {
  fc.assert(
    fc.property(writes, fc.array(query, { maxLength: 4 }), query, (history, between, asked) => {
      const index = keywordIndex();
      const stored = new Map<number, Texts>();
      history.forEach(({ row, texts: fields }, i) => {
        const old = stored.get(row);
        if (old !== undefined) index.remove(row, analyzeUnit(old));
        stored.delete(row);
        if (fields !== undefined) {
          index.add(row, analyzeUnit(fields));
          stored.set(row, fields);
        }
        const other = between[i % Math.max(1, between.length)];
        if (other !== undefined) index.search(other, { eligible: null, limit: 3, compareRows });
      });
      const options = { eligible: null, limit: 20, compareRows };
      expect(index.search(asked, options)).toEqual(apply(history).oracle.search(asked, null, 20));
    }),
    { numRuns: 200 },
  );
});

test('scoreRows and explain agree with search, and explanations add up exactly', () => {
  fc.assert(
    fc.property(writes, query, (history, asked) => {
      const { index, oracle } = apply(history);
      const rows = [...oracle.rows(), 99];
      // A search fills the cache of impacts. Scores must be the same with and without it.
      if (history.length % 2 === 0) index.search(asked, { eligible: null, limit: 3, compareRows });
      const scores = index.scoreRows(asked, rows);
      expect(scores).toEqual([...oracle.rows().map((row) => oracle.score(asked, row)), 0]);
      const explanations = rows.map((row) => index.explain(asked, row));
      expect(explanations.map(({ value }) => value)).toEqual(scores);
      expect(Math.max(0, ...explanations.map(addUpError))).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('a loaded snapshot gives the results of its index, also after more writes', () => {
  fc.assert(
    fc.property(writes, writes, query, (before, after, asked) => {
      const { index } = apply(before);
      const options = { eligible: null, limit: 20, compareRows };
      const copy = KeywordIndex.fromParts(index.toParts());
      expect(copy.size).toBe(index.size);
      expect(copy.search(asked, options)).toEqual(index.search(asked, options));
      const stored = new Map(before.map(({ row, texts: fields }) => [row, fields]));
      for (const { row, texts: fields } of after) {
        const old = stored.get(row);
        if (old !== undefined) copy.remove(row, analyzeUnit(old));
        if (fields !== undefined) copy.add(row, analyzeUnit(fields));
        stored.set(row, fields);
      }
      expect(copy.search(asked, options)).toEqual(apply([...before, ...after]).oracle.search(asked, null, 20));
    }),
    { numRuns: 200 },
  );
});
