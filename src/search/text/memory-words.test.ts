import { describe, expect, it } from 'vitest';
import { inMemoryWords } from './memory-words.ts';

describe('inMemoryWords', () => {
  it.each([
    ['remember that the user likes tea', 'store in memory the user likes tea'],
    ["Please remember the user's birthday is May 3", "store in memory the user's birthday is May 3"],
    ["don't forget that we deploy on Mondays", 'store in memory we deploy on Mondays'],
    ['what do you remember about me', 'search memory about me'],
    ['recall what we decided about pricing', 'search memory what we decided about pricing'],
    ['forget everything about my old job', 'delete from memory everything about my old job'],
  ])('%s: %s', (query, expected) => {
    expect(inMemoryWords(query)).toBe(expected);
  });

  it.each(['remember to buy milk', 'forget password', 'I remember Rome', 'list memories', ''])(
    'leaves other queries as they are: %s',
    (query) => {
      expect(inMemoryWords(query)).toBe(query);
    },
  );
});
