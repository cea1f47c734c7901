import { expect, test } from 'vitest';
import { TermNeighbours } from './term-neighbors.ts';

const everywhere = () => 1;
const termsOf = (neighbours: readonly { term: string }[]) => neighbours.map(({ term }) => term);

test('completes a word from three letters on', () => {
  const neighbours = new TermNeighbours(['kubectl', 'kubernet', 'kafka', 'ku']);
  expect(termsOf(neighbours.near('kub', everywhere))).toEqual(['kubectl', 'kubernet']);
  expect(neighbours.near('ku', everywhere)).toEqual([]);
});

test('forgives one mistake from four letters on and two from eight', () => {
  const neighbours = new TermNeighbours(['git', 'weather', 'postgres']);
  for (const typo of ['wether', 'weazher', 'waether', 'weatherr']) {
    expect(termsOf(neighbours.near(typo, everywhere)), typo).toEqual(['weather']);
  }
  expect(termsOf(neighbours.near('pozxgres', everywhere))).toEqual(['postgres']);
  expect(neighbours.near('wethr', everywhere)).toEqual([]);
  expect(termsOf(neighbours.near('psotgers', everywhere))).toEqual(['postgres']);
  expect(neighbours.near('got', everywhere)).toEqual([]);
});

test('the first letter must be right, and terms with digits have no mistakes', () => {
  const neighbours = new TermNeighbours(['weather', 'base64', '東京都市']);
  expect(neighbours.near('eather', everywhere)).toEqual([]);
  expect(neighbours.near('base65', everywhere)).toEqual([]);
});

test('prefers the finished word to the corrected one, then the more frequent, then the alphabet', () => {
  const neighbours = new TermNeighbours(['reports', 'resort', 'reporte', 'repors']);
  const frequencies: Record<string, number> = { reports: 5, resort: 9, reporte: 5, repors: 1 };
  expect(termsOf(neighbours.near('repor', (term) => frequencies[term]!))).toEqual(['reporte', 'reports', 'repors']);
  expect(termsOf(neighbours.near('repart', everywhere))).toEqual([]);
});

test('gives eight at most', () => {
  const terms = Array.from({ length: 30 }, (_, i) => `prefix${String.fromCharCode(97 + i)}`);
  expect(new TermNeighbours(terms).near('prefi', everywhere)).toHaveLength(8);
});

test('knows terms added before and after its first use, few or many, and none that went away', () => {
  const neighbours = new TermNeighbours();
  for (let i = 0; i < 3000; i++) neighbours.add(`zz${i}`);
  neighbours.add('alpha');
  expect(termsOf(neighbours.near('alph', everywhere))).toEqual(['alpha']);
  neighbours.add('alphabet');
  expect(termsOf(neighbours.near('alph', everywhere))).toEqual(['alpha', 'alphabet']);
  for (let i = 3000; i < 6000; i++) neighbours.add(`zz${i}`);
  expect(termsOf(neighbours.near('alph', everywhere))).toEqual(['alpha', 'alphabet']);
  expect(termsOf(neighbours.near('zz5999', everywhere))).toEqual(['zz5999']);
  expect(termsOf(neighbours.near('alph', (term) => (term === 'alpha' ? 0 : 1)))).toEqual(['alphabet']);
});

test('a term that came back after it went away is known again', () => {
  const neighbours = new TermNeighbours(['alpha'], true);
  expect(termsOf(neighbours.near('alph', () => 0))).toEqual([]);
  neighbours.remove('alpha');
  neighbours.add('alpha');
  expect(termsOf(neighbours.near('alph', everywhere))).toEqual(['alpha']);
});
