import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detachString } from './detach-string.ts';

it('copies a word of any length and script', () => {
  const words = fc.string({ unit: 'grapheme', size: 'max', maxLength: 2000 });
  fc.assert(
    fc.property(words, (word) => {
      expect(detachString(word)).toBe(word);
    }),
  );
});

it('keeps nothing of the word before', () => {
  expect(['first-long-word-日本語', 'second-long-word', '日本語'.repeat(400)].map(detachString)).toEqual([
    'first-long-word-日本語',
    'second-long-word',
    '日本語'.repeat(400),
  ]);
});
