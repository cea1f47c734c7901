import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromStoredEmbedText, toStoredEmbedText } from '../../src/engines/embedded/record/embed-text.ts';
import { toStoredText } from '../../src/engines/stored-text.ts';
import { FIELDS } from '../../src/model/entity-parts/unit.ts';
import { withoutMarks } from '../../src/model/text/identifiers.ts';
import { analyzeUnit, countOf, rawWords } from '../../src/search/text/analyzed-unit.ts';
import { analyze, analyzeQuery } from '../../src/search/text/analyzer.ts';
import { stem } from '../../src/search/text/stemmer.ts';

/** Pieces that change where a text is split: cases, digits, separators, endings, folded letters, marks, scripts without spaces. */
const PIECES = [
  ..."aAbBsS129._-'’+# ",
  'ing',
  'tion',
  'ies',
  'ed',
  'NET',
  'ß',
  'æ',
  'İ',
  'ı',
  '東',
  'か',
  '\u3099',
  '한',
  'Σ',
  'ς',
  '\u0301',
  '\u093e',
  '\u00ad',
  'the',
];
const identifierish = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''));
/** Without the marks of identifiers: no field of a unit has them, except around identifiers. */
const anyText = fc
  .oneof(identifierish, fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string())
  .map(withoutMarks);

test('analyzing the terms of a text gives the same set of terms', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const terms = analyze(text);
      expect(new Set(analyze(terms.join(' ')))).toEqual(new Set(terms));
    }),
    { numRuns: 5000 },
  );
});

test('terms are short, lower case, without spaces, and never empty', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const term of analyze(text)) {
        expect(term).toMatch(/^\S+$/u);
        expect([...term].length).toBeLessThanOrEqual(64);
        expect(term).toBe(term.toLowerCase().replaceAll('ς', 'σ'));
      }
    }),
    { numRuns: 2000 },
  );
});

test('a query has the terms of its text, each once, with a frequency in sixteenths', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const terms = analyzeQuery(text);
      expect(terms.map(({ term }) => term)).toEqual([...new Set(analyze(text))]);
      for (const { frequency } of terms) {
        expect(frequency).toBeGreaterThan(0);
        expect(frequency).toBeLessThanOrEqual(3);
        expect(Number.isInteger(frequency * 16)).toBe(true);
      }
    }),
  );
});

test('the stem of a stem is itself', () => {
  const endings = fc.constantFrom(
    's',
    'es',
    'ies',
    'ing',
    'ed',
    'eed',
    'ly',
    'ational',
    'ization',
    'ness',
    'ful',
    'ment',
    'er',
    'ous',
    'use',
    'us',
    'ss',
    'y',
    'e',
    'll',
    'tion',
  );
  const letters = fc.string({ unit: fc.constantFrom(...'aeiouybcdlnrstz'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(letters, fc.array(endings, { maxLength: 3 }), (start, tail) => {
      const root = stem(start + tail.join(''));
      expect(stem(root)).toBe(root);
      expect(root.length).toBeGreaterThan(0);
    }),
    { numRuns: 5000 },
  );
});

test('a text contains a token of word characters exactly when one of its raw words does', () => {
  fc.assert(
    fc.property(anyText, fc.nat(20), fc.integer({ min: 1, max: 6 }), (text, from, length) => {
      const lower = text.toLowerCase();
      const token = rawWords([...text].slice(from, from + length).join(''))[0];
      fc.pre(token !== undefined);
      expect(rawWords(text).some((word) => word.includes(token!))).toBe(lower.includes(token!));
    }),
    { numRuns: 3000 },
  );
});

const fields = fc.dictionary(fc.constantFrom(...FIELDS), anyText, { maxKeys: 4 });

test('an analyzed unit counts what analyze gives, field by field', () => {
  fc.assert(
    fc.property(fields, (texts) => {
      const unit = analyzeUnit(texts);
      expect(new Set(unit.terms).size).toBe(unit.terms.length);
      FIELDS.forEach((name, field) => {
        const terms = analyze(texts[name] ?? '');
        expect(unit.lengths[field]).toBe(terms.length);
        unit.terms.forEach((term, i) => {
          const count = terms.filter((each) => each === term).length;
          expect(countOf(unit.counts[i]!, field)).toBe(Math.min(15, count));
        });
        const words = new Set(rawWords(texts[name] ?? ''));
        unit.words.forEach((word, i) => {
          expect((unit.wordFields[i]! & (1 << field)) !== 0).toBe(words.has(word));
        });
      });
    }),
  );
});

test('stored fields are analyzed to what the index has of them, so that they can be taken out of it', () => {
  fc.assert(
    fc.property(fields, (texts) => {
      expect(analyzeUnit(JSON.parse(JSON.stringify(texts)))).toEqual(analyzeUnit(texts));
    }),
    { numRuns: 500 },
  );
});

test('a text to embed comes back as it was stored, with fields that repeat and overlap', () => {
  const piece = fc.constantFrom(
    'time',
    'times',
    'me of',
    '\\0',
    '\\t',
    'u005c',
    '\n',
    ', ',
    'Tags: ',
    '\ud83d',
    '\ude00',
    '\0',
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const some = fc.dictionary(fc.constantFrom(...FIELDS), text);
  fc.assert(
    fc.property(some, fc.array(fc.oneof(text, fc.nat(FIELDS.length)), { maxLength: 8 }), (texts, pieces) => {
      const tags = (texts.tags ?? '').replaceAll('\n', ', ');
      const repeated = [...FIELDS.map((field) => texts[field] ?? ''), tags];
      const embedText = pieces.map((one) => (typeof one === 'number' ? repeated[one]! : one)).join('');
      const stored = toStoredEmbedText({ embedText, fields: texts });
      expect(fromStoredEmbedText(stored, JSON.stringify(texts))).toBe(embedText);
      // As earlier versions stored it.
      expect(fromStoredEmbedText(toStoredText(embedText), JSON.stringify(texts))).toBe(embedText);
    }),
    { numRuns: 2000 },
  );
});
