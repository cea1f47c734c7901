import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { countTokens, cutToTokens, fitsTokens } from './token-count.ts';

describe('the token count', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['the cat', 2],
    ['search', 2],
    ['readPage', 4],
    ['read_page', 5],
    ['2026', 4],
    ['a  b', 3],
    ['one\ntwo', 3],
    ['Straße', 4],
    ['привет', 6],
    ['東京', 4],
    ['검색', 6],
    ['🙂', 4],
  ])('of %j is %i', (text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
  });

  it('is never under the number of words, nor over the number of bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const tokens = countTokens(text);
        expect(tokens).toBeLessThanOrEqual(Buffer.byteLength(text));
        expect(tokens).toBeGreaterThanOrEqual(text.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word)).length);
      }),
    );
  });

  // Milliseconds; the square of the text would take minutes.
  it('is linear in the text, and so is its cost', { timeout: 10_000 }, () => {
    const text = 'word Wörter 東京 42, ';
    expect(countTokens(text.repeat(20_000))).toBe(20_000 * countTokens(text));
  });
});

describe('a cut text', () => {
  it('stays within any limit, is a start of the text, and the whole text if it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 0, max: 200 }), (text, limit) => {
        const cut = cutToTokens(text, limit);
        expect(countTokens(cut)).toBeLessThanOrEqual(limit);
        if (countTokens(text) <= limit) expect(cut).toBe(text);
        else expect(text.startsWith(cut.replace(/…$/u, ''))).toBe(true);
      }),
    );
  });

  it('ends at a word if one is near, and never inside a character', () => {
    expect(cutToTokens('The quick brown fox jumps over the lazy dog', 9)).toBe('The quick brown fox…');
    expect(cutToTokens('🙂🙂🙂', 7)).toBe('🙂…');
  });

  it('of a very long text reads the whole text once', () => {
    const text = 'some words here '.repeat(100_000);
    const reading = vi.spyOn(String.prototype, 'matchAll');
    const cut = cutToTokens(text, 500);
    const lengths = reading.mock.contexts.map((read) => String(read).length);
    reading.mockRestore();
    expect(countTokens(cut)).toBeLessThanOrEqual(500);
    expect(lengths.filter((length) => length > 2000)).toEqual([text.length]);
  });
});

describe('the check of a limit', () => {
  it('agrees with the count', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, limit) => {
        expect(fitsTokens(text, limit)).toBe(countTokens(text) <= limit);
      }),
    );
  });

  it('stops at the limit, and reads nothing without one', () => {
    const text = '[1,2],'.repeat(50_000);
    const read = vi.spyOn(String.prototype, 'codePointAt');
    const fits = [fitsTokens(text, 100), fitsTokens(text, Number.POSITIVE_INFINITY)];
    const pieces = read.mock.calls.length;
    read.mockRestore();
    expect(fits).toEqual([false, true]);
    expect(pieces).toBeLessThan(200);
  });
});
