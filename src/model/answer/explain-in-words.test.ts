import { expect, it } from 'vitest';
import { explainInWords, queryWordOf } from './explain-in-words.ts';
import { leaf, sum } from './explanation.ts';

const word = (label: string, value: number) => leaf(label, value, { units_with_term: 3, units: 100, tf: 2, idf: 3 });
const meaning = leaf('vector', 0.6, { rank: 1, score: 0.5, unit: 'create_issue', unit_kind: 'tool' });
const keyword = sum('keyword', [word('creat', 0.1), sum('bm25f', [word('issu', 0.2)])], {
  rank: 2,
  unit: 'GitHub',
  unit_kind: 'card',
});

it.each([
  ['creat', 'create an issue', 'create'],
  ['studi', 'case studies', 'studies'],
  ['run', 'running tests', 'running'],
  ['issu', 'ISSUE tracker', 'issue'],
  ['github', 'github-api of github', 'github'],
  ['hub', 'create a GitHub issue', 'github'],
  ['tokyo', 'weather in osaka', 'tokyo'],
])('%s of “%s” is the word %s', (term, query, expected) => {
  expect(queryWordOf(term, query)).toBe(expected);
});

it('says in a sentence what each leg found, in the words of the query', () => {
  const query = 'Create an issue';
  expect(explainInWords(sum('relevance', [meaning, keyword]), query)).toBe(
    'Its tool create_issue is near in meaning. Its description has “issue” and “create”.',
  );
  expect(explainInWords(sum('relevance', [keyword]), query)).toBe(
    'Its description has “issue” and “create”. Nothing of it is near in meaning.',
  );
  expect(explainInWords(meaning, query)).toBe('Its tool create_issue is near in meaning. It has no word of the query.');
  const ofTool = { ...keyword, detail: meaning.detail! };
  expect(explainInWords(sum('relevance', [meaning, ofTool]), query)).toBe(
    'Its tool create_issue is near in meaning and has “issue” and “create”.',
  );
  expect(explainInWords(leaf('relevance', 1), query)).toBeNull();
});
