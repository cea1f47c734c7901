import { expect, test } from 'vitest';
import { stem } from './stemmer.ts';

test.each([
  ['a plural', ['server', 'servers']],
  ['a plural in -es', ['process', 'processes']],
  ['a plural in -ies', ['query', 'queries']],
  ['-ing and -ed', ['search', 'searching', 'searched']],
  ['a doubled consonant', ['plan', 'planning', 'planned']],
  ['a silent e', ['file', 'files', 'filing', 'filed']],
  ['a silent e after s', ['browse', 'browsing', 'browsed', 'browses']],
  ['a very short verb', ['use', 'using', 'used', 'uses']],
  ['a short verb with a double letter', ['add', 'adds', 'adding', 'added']],
  ['-ate, -ator and -ation', ['calculate', 'calculator', 'calculation', 'calculating']],
  ['-ize', ['organize', 'organizer', 'organization', 'organizing']],
  ['-us', ['status', 'statuses']],
  ['-ly', ['automatic', 'automatically']],
  ['acronyms', ['gpu', 'gpus']],
])('gives one stem: %s', (_, words) => {
  expect([...new Set(words.map(stem))]).toHaveLength(1);
});

test.each([
  ['news', 'new'],
  ['canvas', 'canva'],
  ['redis', 'redi'],
  ['aws', 'aw'],
  ['ios', 'io'],
  ['parse', 'par'],
  ['thing', 'th'],
  ['red', 'r'],
  ['add', 'ad'],
])('gives %s and %s different stems', (a, b) => {
  expect(stem(a)).not.toBe(stem(b));
});

test('does not change words of three letters and names', () => {
  for (const word of ['a', 'is', 'css', 'dns', 'gas', 'news', 'kafka']) expect(stem(word)).toBe(word);
});
