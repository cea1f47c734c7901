import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nameMatcher } from '../identifier/name-matcher.ts';
import { analyzeQuery } from './analyzer.ts';
import { anchorsIn } from './anchors.ts';
import { asciiWords, plainWords, type WordTerm } from './query-words.ts';
import { visitTerms } from './visit-terms.ts';

const PIECES = [...'aAbs19._-\'+#"/:@ \t\n', 'the', 'find', 'weathers', 'get', 'NET', 'ing', 'C++', 'x'.repeat(70)];
const text = fc.array(fc.constantFrom(...PIECES, ' ', ' '), { maxLength: 16 }).map((pieces) => pieces.join(''));
const plain = fc
  .array(fc.constantFrom('the', 'find', 'weather', 'weathers', 'running', 'ids', 's', 'x'.repeat(70)), { maxLength: 7 })
  .map((words) => words.join(' '));
const query = fc.oneof(text, plain);

test('the terms of the words are the terms of the text', () => {
  // Longer texts are not split.
  const short = fc.oneof(query, fc.string()).map((each) => each.slice(0, 400));
  fc.assert(
    fc.property(short, (each) => {
      const whole: WordTerm[] = [];
      visitTerms(each, (term, isPart) => {
        whole.push({ term, isPart });
      });
      expect(asciiWords(each)?.flatMap(({ terms }) => terms)).toEqual(whole);
      expect(asciiWords(each)?.map((word) => word.text)).toEqual(each.split(/\s+/).filter((word) => word !== ''));
    }),
    { numRuns: 3000, examples: [['x'.repeat(70).concat(' ').repeat(6).slice(0, 400)]] },
  );
});

test('splits only short ASCII texts, and only lower-case words are plain', () => {
  expect(asciiWords('größe')).toBeNull();
  expect(asciiWords('a\u00a0b')).toBeNull();
  expect(asciiWords('a '.repeat(201))).toBeNull();
  expect(asciiWords('')).toEqual([]);
  expect(plainWords('find the weather')).toHaveLength(3);
  for (const each of ['find Weather', 'c++', 's3', 'größe']) expect(plainWords(each), each).toBeNull();
});

/** An em space is whitespace outside ASCII, so it forces the slow path. */
const slowly = (each: string) => each.replaceAll(' ', '\u2003').concat('\u2003');

describe('the fast path for ASCII queries equals the slow path', () => {
  test('for terms', () => {
    fc.assert(
      fc.property(query, (each) => {
        expect(analyzeQuery(each)).toEqual(analyzeQuery(slowly(each)));
      }),
      { numRuns: 2000 },
    );
  });

  test('for anchors', () => {
    const texts = (each: string) =>
      anchorsIn(each).map((anchor) => ({ ...anchor, text: anchor.text.replaceAll('\u2003', ' ') }));
    fc.assert(
      fc.property(query, (each) => {
        expect(texts(each)).toEqual(texts(slowly(each)));
      }),
      { numRuns: 2000 },
    );
  });

  test('for names', () => {
    fc.assert(
      fc.property(query, query, (each, name) => {
        fc.pre(each.length < 80);
        const quick = nameMatcher(each);
        const slow = nameMatcher(slowly(each));
        expect(quick === null).toBe(slow === null);
        for (const other of [name, each, each.toUpperCase(), each.replaceAll(' ', '_')])
          if (Math.abs(other.length - each.length) < 12) expect(quick?.(other)).toBe(slow?.(other));
      }),
      { numRuns: 2000 },
    );
  });
});
