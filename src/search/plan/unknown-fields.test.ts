import { expect, it } from 'vitest';
import { searchRequestSchema } from '../../model/query/query.ts';
import { misspelled, unknownFields } from './unknown-fields.ts';

it('gives no warning for known fields', () => {
  const names = Object.keys(searchRequestSchema.shape).filter((name) => name !== 'weights');
  const known = Object.fromEntries(names.map((name) => [name, 1]));
  expect(unknownFields({ ...known, weights: {} })).toEqual([]);
  expect(unknownFields({})).toEqual([]);
});

it.each([
  ['limit', 'max_results'],
  ['Max-Results', 'max_results'],
  ['qeury', 'query'],
  ['tag', 'tags'],
  ['rrfK', 'rrf_k'],
  ['skip', 'offset'],
  ['weight', 'weights'],
  ['zzz', undefined],
  ['ta', undefined],
])('for %j it suggests %j', (name, suggestion) => {
  const [warning] = unknownFields({ [name]: null } as object);
  expect(warning).toContain(`'${name}'`);
  expect(/mean '(\w+)'/.exec(warning!)?.[1]).toBe(suggestion);
});

it('names only the first few of many fields, in one short line each', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`🦉${i}\u202e${'x'.repeat(500)}\r\n`, i]));
  const warnings = unknownFields(many as object);
  expect(warnings).toHaveLength(6);
  expect(warnings.at(-1)).toContain('4');
  for (const warning of warnings) expect(warning).toMatch(/^[^\r\n\u202e]{10,150}$/);
});

it('names unknown legs in weights', () => {
  expect(unknownFields({ weights: { keyword: 1, vector: 0 } })).toEqual([]);
  expect(unknownFields({ weights: { kw: 1, semantic: 2, zzz: 3 } })).toEqual([
    "A search has no field 'weights.kw'; it is ignored. Did you mean 'weights.keyword'?",
    "A search has no field 'weights.semantic'; it is ignored. Did you mean 'weights.vector'?",
    "A search has no field 'weights.zzz'; it is ignored.",
  ]);
  const many = { a: 1, b: 1, c: 1, d: 1, weights: { e: 1, f: 1, g: 1 } };
  expect(unknownFields(many)).toHaveLength(6);
  expect(unknownFields(many).at(-1)).toBe('Other fields that are ignored: 2.');
});

it('finds the field that was meant as one that is missing', () => {
  expect(misspelled({ limit: 3, qury: 'x', tag: 'y' }, ['query', 'tags'])).toEqual({ given: 'qury', meant: 'query' });
  expect(misspelled({ limit: 3, query: 'x', zzz: 1 }, ['query', 'tags'])).toBeUndefined();
});
