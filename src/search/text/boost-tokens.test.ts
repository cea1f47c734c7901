import { expect, test } from 'vitest';
import { boostTokens } from './boost-tokens.ts';

test.each([
  ['TOK-1 keeps letters and digits together', 'context7 docs', ['context7', 'docs']],
  ['TOK-2 leaves out the stop words get and by', 'get current time by timezone', ['current', 'time', 'timezone']],
  [
    'TOK-3 leaves out question words and does not stem',
    'What is the best tool for searching things?',
    ['best', 'tool', 'searching', 'things'],
  ],
  ['TOK-4 does not split at underscores', 'current_time_by_timezone', ['current_time_by_timezone']],
  ['TOK-5 splits at hyphens and drops two letters', 'resolve-library-id', ['resolve', 'library']],
  ['TOK-6 finds no token in AI', 'AI', []],
  ['TOK-6 finds no token in an empty query', '', []],
  ['TOK-6 finds no token in stop words', 'set up put', []],
  ['TOK-6 finds no token in a pattern', '(a+)+$|.*', []],
  ['TOK-7 drops single letters', 'payments a.b.c', ['payments']],
  ['TOK-8 drops symbols', 'alpha.beta gamma*', ['alpha', 'beta', 'gamma']],
  ['TOK-9 keeps repeats, in lower case', 'Context7 context7', ['context7', 'context7']],
  ['TOK-10 counts code points of any script', 'café münchen 東京 東京都', ['café', 'münchen', '東京都']],
  ['TOK-11 finds no token in C++', 'C++ SDK', ['sdk']],
])('%s', (_, query, tokens) => {
  expect(boostTokens(query)).toEqual(tokens);
});

test('TOK-12 a token is never a regular expression', () => {
  for (const query of ['(a+)+$', '.*', 'a.b.c', '[x]{3}', 'foo|bar', 'search*']) {
    expect(boostTokens(query)).not.toContain(query);
    for (const token of boostTokens(query)) expect(token).toMatch(/^[\p{L}\p{N}_]+$/u);
  }
});

test('splits at a combining mark, and counts a letter beyond 16 bits as one', () => {
  expect(boostTokens('abcde\u0301fgh')).toEqual(['abcde', 'fgh']);
  expect(boostTokens('𝒜𝒷 𝒜𝒷𝒸')).toEqual(['𝒜𝒷𝒸']);
});
