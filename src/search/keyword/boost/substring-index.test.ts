import { expect, test } from 'vitest';
import { SubstringIndex } from './substring-index.ts';

function expectAllFound(index: SubstringIndex, words: readonly string[], piece: string): void {
  const expected = [...words.keys()].filter((i) => words[i]!.includes(piece));
  expect([...new Set(index.containing(piece))].sort((a, b) => a - b)).toEqual(expected);
}

test('finds exactly the words that contain a substring', () => {
  const words = ['search', 'research', 'sea', 'arch', 'sear', 'aaaa', '東京都', 'flight_search', 'xx'];
  for (const maxScanned of [0, 1000]) {
    const index = new SubstringIndex(words, maxScanned);
    for (const piece of ['sea', 'search', 'arch', 'aaa', 'aaaa', '東京都', 'ght_sea', 'zzz']) {
      expectAllFound(index, words, piece);
    }
  }
});

test('sees added, removed and replaced words', () => {
  const words: string[] = ['search', 'research', 'sea'];
  const index = new SubstringIndex(words, 1);
  expectAllFound(index, words, 'sear');
  words[0] = '';
  words.push('searching');
  index.add(3);
  expectAllFound(index, words, 'sear');
  words[0] = 'sears';
  index.add(0);
  expectAllFound(index, words, 'sear');
  words.push('unsearched');
  index.add(4);
  expectAllFound(index, words, 'sear');
});
