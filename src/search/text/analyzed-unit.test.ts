import { expect, test } from 'vitest';
import { FIELDS } from '../../model/unit.ts';
import { analyzeUnit, countOf, MAX_COUNT } from './analyzed-unit.ts';
import { decodeAnalyzedUnit, encodeAnalyzedUnit } from './analyzed-unit-codec.ts';

const fieldOf = (name: (typeof FIELDS)[number]) => FIELDS.indexOf(name);

test('counts terms field by field', () => {
  const unit = analyzeUnit({ name: 'Weather', description: 'weather maps, weather data', body: 'maps' });
  expect(unit.terms).toEqual(['weather', 'map', 'data']);
  expect(countOf(unit.counts[0]!, fieldOf('name'))).toBe(1);
  expect(countOf(unit.counts[0]!, fieldOf('description'))).toBe(2);
  expect(countOf(unit.counts[1]!, fieldOf('body'))).toBe(1);
  expect([...unit.lengths]).toEqual([1, 0, 4, 0, 0, 0, 0, 1]);
});

test('a count stops at 15 and does not change the next field, the length counts on', () => {
  const unit = analyzeUnit({ parameters: 'id '.repeat(100), body: 'id '.repeat(20) });
  expect(countOf(unit.counts[0]!, fieldOf('parameters'))).toBe(MAX_COUNT);
  expect(countOf(unit.counts[0]!, fieldOf('body'))).toBe(MAX_COUNT);
  expect(countOf(unit.counts[0]!, fieldOf('tools'))).toBe(0);
  expect(unit.lengths[fieldOf('parameters')]).toBe(100);
});

test('keeps raw words with the fields that contain them', () => {
  const unit = analyzeUnit({ name: 'Current_Time the-API', tags: 'the' });
  expect(unit.words).toEqual(['current_time', 'the', 'api']);
  expect([...unit.wordFields]).toEqual([1, 1 | (1 << fieldOf('tags')), 1]);
});

test('encodes and decodes an empty unit', () => {
  const unit = analyzeUnit({});
  expect(unit.terms).toEqual([]);
  expect(decodeAnalyzedUnit(encodeAnalyzedUnit(unit))).toEqual(unit);
});

test('the stored form is compact, and decoding says what is wrong', () => {
  const text = 'Finds the weather forecast for a city and shows it on a map';
  const bytes = encodeAnalyzedUnit(analyzeUnit({ description: text }));
  expect(bytes.length).toBeLessThan(4 * text.length);
  expect(() => decodeAnalyzedUnit(new Uint8Array([9, 1]))).toThrow('format 9, not 1');
  expect(() => decodeAnalyzedUnit(new Uint8Array([1, 99]))).toThrow('its analyzer is 99');
  expect(() => decodeAnalyzedUnit(Uint8Array.from([...bytes, 0]))).toThrow('its text has');
});
