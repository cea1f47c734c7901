import { describe, expect, test } from 'vitest';
import { analyzeUnit } from '../../text/analyzed-unit.ts';
import { KeywordIndex } from '../keyword-index.ts';
import { QueryExpansion } from './query-expansion.ts';

/** A vocabulary of these terms that lists what it is asked for. */
function vocabularyOf(...terms: readonly string[]) {
  const looked: string[] = [];
  return {
    looked,
    listOf: (term: string) => {
      looked.push(term);
      const list = terms.indexOf(term);
      return list < 0 ? undefined : list;
    },
    similar: () => terms.slice(0, 1).map((term) => ({ term, factor: 0.7, frequency: 1 })),
  };
}

describe('QueryExpansion', () => {
  test('looks a term up once', () => {
    const vocabulary = vocabularyOf('weather');
    const expansion = new QueryExpansion(vocabulary);
    const matches = [{ term: 'weather', list: 0, factor: 0.7 }];
    expect(expansion.expand('wether today')).toMatchObject([{ term: 'wether', frequency: 1, matches }, {}]);
    const { length } = vocabulary.looked;
    expect(expansion.expand('today wether')).toMatchObject([{}, { term: 'wether', frequency: 1, matches }]);
    expect(vocabulary.looked).toHaveLength(length);
  });

  test('keeps a bounded number of terms', () => {
    const vocabulary = vocabularyOf('weather', 'calendar');
    const expansion = new QueryExpansion(vocabulary, 1);
    for (const query of ['weather', 'calendar', 'weather']) expansion.expand(query);
    expect(vocabulary.looked).toEqual(['weather', 'calendar', 'weather']);
  });

  test('a write changes the matches', () => {
    const index = new KeywordIndex();
    const search = (query: string) =>
      index.search(query, { eligible: null, limit: 10, compareRows: (a, b) => a - b }).rows;
    const [near, exact] = [analyzeUnit({ name: 'calendar' }), analyzeUnit({ name: 'calender' })];
    index.add(0, near);
    // Two queries, so that the last one is not remembered whole.
    const both = () => [search('calender'), search('calender today')];
    expect(both()).toEqual([[0], [0]]);
    index.add(1, exact);
    expect(both()).toEqual([[1], [1]]);
    index.remove(1, exact);
    expect(both()).toEqual([[0], [0]]);
    const prepared = index.prepare([{ row: 1, before: null, after: exact }]);
    let step = prepared.next();
    for (; step.done !== true; step = prepared.next()) expect(both()).toEqual([[0], [0]]);
    expect(both()).toEqual([[0], [0]]);
    step.value.apply();
    expect(both()).toEqual([[1], [1]]);
  });
});
