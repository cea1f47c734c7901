import { expect, test } from 'vitest';
import { TermNeighbors } from './term-neighbors.ts';

const everywhere = () => 1;
const termsOf = (neighbors: readonly { term: string }[]) => neighbors.map(({ term }) => term);

test('completes a word from three letters on', () => {
  const neighbors = new TermNeighbors(['kubectl', 'kubernet', 'kafka', 'ku']);
  expect(termsOf(neighbors.near('kub', everywhere))).toEqual(['kubectl', 'kubernet']);
  expect(neighbors.near('ku', everywhere)).toEqual([]);
});

test('forgives one mistake from four letters on and two from eight', () => {
  const neighbors = new TermNeighbors(['git', 'weather', 'postgres']);
  for (const typo of ['wether', 'weazher', 'waether', 'weatherr']) {
    expect(termsOf(neighbors.near(typo, everywhere)), typo).toEqual(['weather']);
  }
  expect(termsOf(neighbors.near('pozxgres', everywhere))).toEqual(['postgres']);
  expect(neighbors.near('wethr', everywhere)).toEqual([]);
  expect(termsOf(neighbors.near('psotgers', everywhere))).toEqual(['postgres']);
  expect(neighbors.near('got', everywhere)).toEqual([]);
});

test('the first letter must be right, and terms with digits have no mistakes', () => {
  const neighbors = new TermNeighbors(['weather', 'base64', '東京都市']);
  expect(neighbors.near('eather', everywhere)).toEqual([]);
  expect(neighbors.near('base65', everywhere)).toEqual([]);
});

test('prefers the finished word to the corrected one, then the more frequent, then the alphabet', () => {
  const neighbors = new TermNeighbors(['reports', 'resort', 'reporte', 'repors']);
  const frequencies: Record<string, number> = { reports: 5, resort: 9, reporte: 5, repors: 1 };
  expect(termsOf(neighbors.near('repor', (term) => frequencies[term]!))).toEqual(['reporte', 'reports', 'repors']);
  expect(termsOf(neighbors.near('repart', everywhere))).toEqual([]);
});

test('gives eight at most', () => {
  const terms = Array.from({ length: 30 }, (_, i) => `prefix${String.fromCharCode(97 + i)}`);
  expect(new TermNeighbors(terms).near('prefi', everywhere)).toHaveLength(8);
});

test('knows terms added before and after its first use, few or many, and none that went away', () => {
  const neighbors = new TermNeighbors();
  for (let i = 0; i < 3000; i++) neighbors.add(`zz${i}`);
  neighbors.add('alpha');
  expect(termsOf(neighbors.near('alph', everywhere))).toEqual(['alpha']);
  neighbors.add('alphabet');
  expect(termsOf(neighbors.near('alph', everywhere))).toEqual(['alpha', 'alphabet']);
  for (let i = 3000; i < 6000; i++) neighbors.add(`zz${i}`);
  expect(termsOf(neighbors.near('alph', everywhere))).toEqual(['alpha', 'alphabet']);
  expect(termsOf(neighbors.near('zz5999', everywhere))).toEqual(['zz5999']);
  expect(termsOf(neighbors.near('alph', (term) => (term === 'alpha' ? 0 : 1)))).toEqual(['alphabet']);
});

test('a term that came back after it went away is known again', () => {
  const neighbors = new TermNeighbors(['alpha'], true);
  expect(termsOf(neighbors.near('alph', () => 0))).toEqual([]);
  neighbors.remove('alpha');
  neighbors.add('alpha');
  expect(termsOf(neighbors.near('alph', everywhere))).toEqual(['alpha']);
});
