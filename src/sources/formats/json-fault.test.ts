import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('jsonFault', () => {
  it.each([
    ['oops', 1, "unexpected 'o'"],
    ['{"half', 7, 'the line ends too early'],
    ['{"a": 1', 8, 'the line ends too early'],
    ["{'a': 1}", 2, "unexpected '''"],
    ['{"a": 1,}', 9, "unexpected '}'"],
    ['[1, ]', 5, "unexpected ']'"],
    ['[1 2]', 4, "unexpected '2'"],
    ['{"a" 1}', 6, "unexpected '1'"],
    ['{"a": tru}', 7, "unexpected 't'"],
    ['{"a": 01}', 8, "unexpected '1'"],
    ['{"日本": x}', 8, "unexpected 'x'"],
    ['{"🔎": "\\x"}', 8, "unexpected '\\'"],
    ['1null', 2, "unexpected 'n'"],
    ['{} {}', 4, "unexpected '{'"],
    ['"a\tb"', 3, 'unexpected U+0009'],
    ['', 1, 'the line ends too early'],
  ])('of %s is at column %d: %s', (text, column, reason) => {
    expect(jsonFault(text)).toEqual({ column, reason });
  });

  it('finds none in JSON, and one in whatever else', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '.5',
      'e3',
      'null',
      ' ',
      '\\',
      'x',
    );
    const broken = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
    const whole = fc.json();
    const cut = fc.tuple(whole, fc.nat(40)).map(([text, at]) => text.slice(0, at));
    fc.assert(
      fc.property(fc.oneof(broken, whole, cut), (text) => {
        expect(jsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not mind how deep or how long a text is', () => {
    expect(jsonFault('['.repeat(200_000))?.column).toBe(200_001);
    expect(jsonFault(`"${'x'.repeat(2_000_000)}`)?.column).toBe(2_000_002);
  });
});
