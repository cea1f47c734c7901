import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cut, eachOnOneLine, oneLine, padEnd, textWidth, wrap } from './text-width.ts';

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['日本', 4],
    ['🔎', 2],
    ['a\u200db', 2],
  ])('of %j is %d', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('cut', () => {
  it.each([
    ['short', 10, 'short'],
    ['exactly', 7, 'exactly'],
    ['too long for it', 8, 'too lon…'],
    ['two words', 5, 'two…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['x', 0, ''],
    ['xy', 1, '…'],
  ])('%j to %d is %j', (text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });

  it('never takes more cells than it is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, width) => {
        expect(textWidth(cut(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('wrap', () => {
  it.each([
    ['', 10, ['']],
    ['fits here', 9, ['fits here']],
    ['breaks at a blank', 8, ['breaks', 'at a', 'blank']],
    ['a verylongword here', 8, ['a', 'verylong', 'word', 'here']],
    ['  kept below the first', 12, ['  kept below', '  the first']],
    [' an', 2, ['an']],
    [' an', 3, [' an']],
    ['two  blanks', 20, ['two  blanks']],
    ['日本語', 4, ['日本', '語']],
    ['xy', 0, ['xy']],
  ])('%j to %d is %j', (text, width, expected) => {
    expect(wrap(text, width)).toEqual(expected);
  });

  it('never takes more cells than it is given, and loses nothing but blanks', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.lorem());
    const indent = fc.nat(4).map((length) => ' '.repeat(length));
    const widths = fc.oneof(fc.integer({ min: 2, max: 6 }), fc.integer({ min: 2, max: 40 }));
    fc.assert(
      fc.property(
        fc.tuple(indent, text).map(([blanks, words]) => `${blanks}${words}`),
        widths,
        (text, width) => {
          const lines = wrap(text, width);
          for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
          expect(lines.join('').replaceAll(/\s/gu, '')).toBe(text.replaceAll(/\s/gu, ''));
        },
      ),
    );
  });
});

describe('oneLine', () => {
  it('removes control characters from stored text', () => {
    expect(oneLine(' a\r\nb\tc \u001b[31mred\u0007\u2028end ')).toBe('a b c [31mred end');
    expect(oneLine('\u009b31m')).toBe('31m');
  });
});

describe('eachOnOneLine', () => {
  it('keeps lines and blanks, and removes control characters', () => {
    expect(eachOnOneLine('| a  | b |\n\tcode  \u2028')).toBe('| a  | b |\n    code');
    expect(eachOnOneLine('a\u001b[2J\r\n    at b\u0007\n\nc')).toBe('a [2J\n    at b\n\nc');
  });
});

describe('padEnd', () => {
  it('pads by cells, not by characters', () => {
    expect(padEnd('日', 4)).toBe('日  ');
    expect(padEnd('long', 2)).toBe('long');
  });
});
