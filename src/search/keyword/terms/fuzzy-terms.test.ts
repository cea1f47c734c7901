import { expect, test } from 'vitest';
import { FuzzyTerms } from './fuzzy-terms.ts';
import { SortedWords } from './term-lists.ts';

const everywhere = () => 1;
const fuzzyOf = (terms: readonly string[]) => new FuzzyTerms(new SortedWords([...terms].sort().join('\n')));
const termsOf = (fuzzyTerms: readonly { term: string }[]) => fuzzyTerms.map(({ term }) => term);

test('completes a word from three letters on', () => {
  const fuzzyTerms = fuzzyOf(['kubectl', 'kubernet', 'kafka', 'ku']);
  expect(termsOf(fuzzyTerms.similarTo('kub', everywhere))).toEqual(['kubectl', 'kubernet']);
  expect(fuzzyTerms.similarTo('ku', everywhere)).toEqual([]);
});

test('allows one typo from four letters on and two from eight', () => {
  const fuzzyTerms = fuzzyOf(['git', 'weather', 'postgres']);
  for (const typo of ['wether', 'weazher', 'waether', 'weatherr']) {
    expect(termsOf(fuzzyTerms.similarTo(typo, everywhere)), typo).toEqual(['weather']);
  }
  expect(termsOf(fuzzyTerms.similarTo('pozxgres', everywhere))).toEqual(['postgres']);
  expect(fuzzyTerms.similarTo('wethr', everywhere)).toEqual([]);
  expect(termsOf(fuzzyTerms.similarTo('psotgers', everywhere))).toEqual(['postgres']);
  expect(fuzzyTerms.similarTo('got', everywhere)).toEqual([]);
});

test('needs the right first letter, and allows no typos in terms with digits', () => {
  const fuzzyTerms = fuzzyOf(['weather', 'base64', '東京都市']);
  expect(fuzzyTerms.similarTo('eather', everywhere)).toEqual([]);
  expect(fuzzyTerms.similarTo('base65', everywhere)).toEqual([]);
});

test('orders by factor, then by frequency, then by alphabet', () => {
  const fuzzyTerms = fuzzyOf(['reports', 'resort', 'reporte', 'repors']);
  const frequencies: Record<string, number> = { reports: 5, resort: 9, reporte: 5, repors: 1 };
  expect(termsOf(fuzzyTerms.similarTo('repor', (term) => frequencies[term]!))).toEqual([
    'reporte',
    'reports',
    'repors',
  ]);
  expect(termsOf(fuzzyTerms.similarTo('repart', everywhere))).toEqual([]);
});

test('returns at most eight terms', () => {
  const terms = Array.from({ length: 30 }, (_, i) => `prefix${String.fromCharCode(97 + i)}`);
  expect(fuzzyOf(terms).similarTo('prefi', everywhere)).toHaveLength(8);
});

test('finds terms added before and after its first use, few or many, and no removed terms', () => {
  const fuzzyTerms = new FuzzyTerms();
  for (let i = 0; i < 3000; i++) fuzzyTerms.add(`zz${i}`);
  fuzzyTerms.add('alpha');
  expect(termsOf(fuzzyTerms.similarTo('alph', everywhere))).toEqual(['alpha']);
  fuzzyTerms.add('alphabet');
  expect(termsOf(fuzzyTerms.similarTo('alph', everywhere))).toEqual(['alpha', 'alphabet']);
  for (let i = 3000; i < 6000; i++) fuzzyTerms.add(`zz${i}`);
  expect(termsOf(fuzzyTerms.similarTo('alph', everywhere))).toEqual(['alpha', 'alphabet']);
  expect(termsOf(fuzzyTerms.similarTo('zz5999', everywhere))).toEqual(['zz5999']);
  expect(termsOf(fuzzyTerms.similarTo('alph', (term) => (term === 'alpha' ? 0 : 1)))).toEqual(['alphabet']);
});

test('finds a term that was removed and added again', () => {
  const fuzzyTerms = fuzzyOf(['alpha']);
  expect(termsOf(fuzzyTerms.similarTo('alph', () => 0))).toEqual([]);
  fuzzyTerms.remove('alpha');
  fuzzyTerms.add('alpha');
  expect(termsOf(fuzzyTerms.similarTo('alph', everywhere))).toEqual(['alpha']);
});

test('after many writes, a search merges only terms with its first letter', () => {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const fuzzyTerms = fuzzyOf(letters.flatMap((letter) => Array.from({ length: 200 }, (_, i) => `${letter}${i}`)));
  for (let i = 0; i < 2000; i++) fuzzyTerms.add(`zz${i}`);
  let read: string[] = [];
  const isKnown = (term: string) => read.push(term) > 0;
  for (const letter of letters) fuzzyTerms.similarTo(`${letter}oo`, everywhere, isKnown);
  read = [];
  for (let i = 2000; i < 4000; i++) fuzzyTerms.add(`zz${i}`);
  expect(termsOf(fuzzyTerms.similarTo('a199', everywhere, isKnown))).toEqual(['a199']);
  expect(read).toEqual([]);
  expect(termsOf(fuzzyTerms.similarTo('zz3999', everywhere, isKnown))).toEqual(['zz3999']);
  expect([read.length, read.every((term) => term.startsWith('z'))]).toEqual([4200, true]);
});

test('finds terms whose first characters share a group, and terms of other scripts', () => {
  const shared = String.fromCharCode('a'.charCodeAt(0) + 256);
  const fuzzyTerms = fuzzyOf(['alpha', `${shared}lpha`, '東京都', 'мир']);
  expect(termsOf(fuzzyTerms.similarTo('alph', everywhere))).toEqual(['alpha']);
  expect(termsOf(fuzzyTerms.similarTo(`${shared}lph`, everywhere))).toEqual([`${shared}lpha`]);
  expect(termsOf(fuzzyTerms.similarTo('東京都', everywhere))).toEqual(['東京都']);
});
