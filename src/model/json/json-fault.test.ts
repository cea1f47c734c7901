import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

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
    expect(jsonFault(text)).toMatchObject({ line: 1, column, reason });
  });

  it('counts lines, and columns within the last', () => {
    expect(jsonFault('{\n  "🔎": 1,\n  "b": x}')).toEqual({ offset: 20, line: 3, column: 8, reason: "unexpected 'x'" });
  });
});
