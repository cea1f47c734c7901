import { expect, it } from 'vitest';
import { searchRequestSchema } from '../model/query.ts';
import { unknownFields } from './unknown-fields.ts';

it('says nothing of fields that a search has', () => {
  const known = Object.fromEntries(Object.keys(searchRequestSchema.shape).map((name) => [name, 1]));
  expect(unknownFields(known)).toEqual([]);
  expect(unknownFields({})).toEqual([]);
});

it.each([
  ['limit', 'max_results'],
  ['Max-Results', 'max_results'],
  ['qeury', 'query'],
  ['tag', 'tags'],
  ['rrfK', 'rrf_k'],
  ['skip', 'offset'],
  ['zzz', undefined],
  ['ta', undefined],
])('takes %j for %j', (name, meant) => {
  const [sentence] = unknownFields({ [name]: null });
  expect(sentence).toContain(`'${name}'`);
  expect(/mean '(\w+)'/.exec(sentence!)?.[1]).toBe(meant);
});

it('names the first few of many, in one short line each', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`🦉${i}\u202e${'x'.repeat(500)}\r\n`, i]));
  const sentences = unknownFields(many);
  expect(sentences).toHaveLength(6);
  expect(sentences.at(-1)).toContain('4');
  for (const sentence of sentences) expect(sentence).toMatch(/^[^\r\n\u202e]{10,150}$/);
});
