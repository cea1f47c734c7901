import { describe, expect, test } from 'vitest';
import type { Field } from '../../model/entity-parts/unit.ts';
import { Bitset } from '../filter/bitset.ts';
import type { RowSearchOptions } from '../rows/row-scores.ts';
import { analyzeUnit } from '../text/analyzed-unit.ts';
import { KeywordIndex } from './keyword-index.ts';

type Texts = Partial<Record<Field, string>>;

const ALL: RowSearchOptions = { eligible: null, limit: 10, compareRows: (a, b) => a - b };

function indexOf(units: readonly Texts[]): KeywordIndex {
  const index = new KeywordIndex();
  units.forEach((fields, row) => {
    index.add(row, analyzeUnit(fields));
  });
  return index;
}

const rowsOf = (index: KeywordIndex, query: string, options: Partial<RowSearchOptions> = {}) =>
  index.search(query, { ...ALL, ...options }).rows;

describe('ranking', () => {
  test('a match in the name scores higher than in the description', () => {
    const index = indexOf([
      { name: 'assistant', description: 'a weather forecast for every city' },
      { name: 'weather', description: 'an assistant forecast for every city' },
    ]);
    expect(rowsOf(index, 'weather')).toEqual([1, 0]);
  });

  test('a rare word scores higher than a common one', () => {
    const units = Array.from({ length: 9 }, () => ({ description: 'search the web' }));
    const index = indexOf([...units, { description: 'postgres dump' }]);
    expect(rowsOf(index, 'search postgres')[0]).toBe(9);
  });

  test('a shorter text scores higher', () => {
    const index = indexOf([
      { body: 'weather and a great many other things that have nothing to do with it at all' },
      { body: 'weather now' },
    ]);
    expect(rowsOf(index, 'weather')).toEqual([1, 0]);
  });

  test('finds an identifier by the whole, by its parts and with any separator', () => {
    const index = indexOf([{ name: 'createPullRequest' }, { name: 'listIssues' }]);
    for (const query of ['createPullRequest', 'create_pull_request', 'createpullrequest', 'pull request', 'pulling']) {
      expect(rowsOf(index, query), query).toEqual([0]);
    }
  });

  test('I does not match iOS', () => {
    const index = indexOf([{ name: 'iOS simulator' }, { name: 'weather' }]);
    expect(rowsOf(index, "I'm asking about the weather")).toEqual([1]);
  });

  test('a misspelled or unfinished word finds the word, with a lower score', () => {
    const index = indexOf([{ name: 'kubernetes' }, { name: 'weather' }]);
    for (const query of ['kubrnetes', 'kuebrnetes', 'kube']) {
      expect(rowsOf(index, query), query).toEqual([0]);
      expect(index.scoreRows(query, [0])[0]!).toBeLessThan(index.scoreRows('kubernetes', [0])[0]!);
    }
  });

  test('an indexed word has no fuzzy matches', () => {
    const index = indexOf([{ name: 'form' }, { name: 'formula' }]);
    expect(rowsOf(index, 'form')).toEqual([0]);
  });

  test('several fuzzy matches of one word count once', () => {
    const index = indexOf([
      { name: 'reporter reporters' },
      { name: 'report' },
      { name: 'reporting desk' },
      { name: 'x' },
    ]);
    expect(index.explain('repo', 0).parts).toHaveLength(1);
  });
});

describe('search', () => {
  const units = Array.from({ length: 6 }, (_, i) => ({ name: 'weather', description: `part ${'extra '.repeat(i)}` }));

  test('filters before it limits', () => {
    const index = indexOf(units);
    expect(rowsOf(index, 'weather', { limit: 2 })).toEqual([0, 1]);
    expect(rowsOf(index, 'weather', { limit: 2, eligible: Bitset.of([3, 5]) })).toEqual([3, 5]);
    expect(rowsOf(index, 'weather', { eligible: new Bitset() })).toEqual([]);
  });

  test('breaks ties by compareRows, not by insertion order', () => {
    const index = indexOf([{ name: 'weather' }, { name: 'weather' }, { name: 'weather' }]);
    expect(rowsOf(index, 'weather', { limit: 2, compareRows: (a, b) => b - a })).toEqual([2, 1]);
  });

  test('finds nothing for a query without terms, without matches, or with a limit of 0', () => {
    const index = indexOf(units);
    for (const query of ['', 'the of and', '???', 'zzzzzz']) expect(rowsOf(index, query)).toEqual([]);
    expect(rowsOf(index, 'weather', { limit: 0 })).toEqual([]);
    expect(rowsOf(new KeywordIndex(), 'weather')).toEqual([]);
  });
});

describe('writes', () => {
  test('a row can be reused after its removal', () => {
    const index = new KeywordIndex();
    const first = analyzeUnit({ name: 'weather' });
    index.add(7, first);
    index.remove(7, first);
    expect(index.size).toBe(0);
    index.add(7, analyzeUnit({ name: 'calendar' }));
    expect(rowsOf(index, 'weather')).toEqual([]);
    expect(rowsOf(index, 'calendar')).toEqual([7]);
    expect(index.size).toBe(1);
  });

  test('throws for a taken row, a free row and a unit that was not added', () => {
    const index = indexOf([{ name: 'weather' }]);
    expect(() => index.add(0, analyzeUnit({ name: 'x' }))).toThrow('row 0 is taken');
    expect(() => index.remove(1, analyzeUnit({ name: 'x' }))).toThrow('row 1 is free');
    expect(() => index.remove(0, analyzeUnit({ name: 'calendar' }))).toThrow("row 0 has no term 'calendar'");
  });

  test('counts a unit without text', () => {
    const index = indexOf([{}, { name: 'weather' }]);
    expect(index.size).toBe(2);
    expect(rowsOf(index, 'weather')).toEqual([1]);
  });
});

test('an explanation has terms, fields and their numbers', () => {
  const index = indexOf([{ name: 'weather', description: 'weather for kubernetes' }, { name: 'calendar' }]);
  const explanation = index.explain('weather kubrnetes', 0);
  expect(explanation.value).toBe(index.search('weather kubrnetes', ALL).scores[0]);
  expect(explanation.parts!.map(({ label }) => label)).toEqual(['weather', 'kubrnet → kubernet']);
  expect(explanation.parts![0]!.parts!.map(({ label }) => label)).toEqual(['name', 'description']);
  expect(explanation.parts![0]!.parts![0]!.detail).toMatchObject({ count: 1, length: 1 });
  expect(explanation.parts![1]!.detail).toMatchObject({ factor: 0.7, units_with_term: 1, units: 2 });
  expect(index.explain('weather', 1)).toMatchObject({ value: 0, parts: [] });
});

describe('snapshots', () => {
  const parts = indexOf([{ name: 'weather' }, { name: 'calendar', body: 'plans' }]).toParts();

  test('have few parts, and load from unaligned bytes', () => {
    const moved = Object.fromEntries(
      Object.entries(parts).map(([name, part]) => {
        if (typeof part === 'string') return [name, part];
        const bytes = new Uint8Array(part.byteLength + 1);
        bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), 1);
        return [name, bytes.subarray(1)];
      }),
    );
    expect(Object.keys(parts).length).toBeLessThan(10);
    expect(rowsOf(KeywordIndex.fromParts(moved), 'plan')).toEqual([1]);
  });

  test('of an empty index load as an empty index', () => {
    expect(KeywordIndex.fromParts(new KeywordIndex().toParts()).size).toBe(0);
  });

  test.each([
    ['a missing part', { ...parts, terms: undefined }, "part 'terms' is missing"],
    ['a header that is not JSON', { ...parts, header: '{' }, 'header is not JSON'],
    ['another format', { ...parts, header: '{"format":0}' }, 'format 0'],
    ['another analyzer', { ...parts, header: '{"format":1,"analyzer":0}' }, 'analyzer is 0'],
    ['a cut array', { ...parts, postingRows: new Uint8Array(5) }, 'not a multiple of 4'],
    ['a wrong number of postings', { ...parts, postingRows: new Uint32Array(2) }, 'do not add up'],
    ['too few lists', { ...parts, frequencies: new Uint32Array(1) }, '1 lists for 3 words'],
    ['a wrong number of rows', { ...parts, rows: new Uint32Array(1) }, '0 rows for 2 units'],
    ['a wrong number of lengths', { ...parts, fieldLengths: new Uint32Array(9) }, '9 field lengths'],
  ])('with %s are rejected', (_, broken, message) => {
    expect(() => KeywordIndex.fromParts(broken as unknown as typeof parts)).toThrow(message);
  });
});
