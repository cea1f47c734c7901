import { expect, test } from 'vitest';
import { FIELDS } from '../../model/entity-parts/unit.ts';
import { analyzeUnit, countOf, MAX_COUNT } from './analyzed-unit.ts';

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

test('has nothing of a unit without text', () => {
  const { terms, words, lengths } = analyzeUnit({});
  expect([terms, words, Math.max(...lengths)]).toEqual([[], [], 0]);
});
