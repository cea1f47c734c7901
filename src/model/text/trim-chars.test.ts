import { expect, it } from 'vitest';
import { beforeChars, splitList, trimChars, trimEndChars, trimStartChars } from './trim-chars.ts';

it.each([
  ['a//', 'a', 'a//', 'a'],
  ['//a/b//', '//a/b', 'a/b//', 'a/b'],
  ['//', '', '', ''],
  ['', '', '', ''],
])('trims the slashes of %j', (text, end, start, both) => {
  expect([trimEndChars(text, '/'), trimStartChars(text, '/'), trimChars(text, '/')]).toEqual([end, start, both]);
});

it('gives what is before the first of some characters, or everything', () => {
  expect([beforeChars('a?b#c', '?#'), beforeChars('#a', '?#'), beforeChars('abc', '?#')]).toEqual(['a', '', 'abc']);
});

it('splits a list at commas, without blanks and empty parts', () => {
  expect([splitList(' a , b c,,d '), splitList(' , '), splitList('')]).toEqual([['a', 'b c', 'd'], [], []]);
});
