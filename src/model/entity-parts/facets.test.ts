import { expect, it } from 'vitest';
import { parseEntity } from '../entity.ts';
import { facetFilterSchema, facetKeysOf, facetsOf } from './facets.ts';

it('reads facets from fields of the type and from `facets`, folded and once', () => {
  const { entity } = parseEntity({
    type: 'package',
    path: '/p',
    name: 'p',
    language: 'TypeScript',
    languages: ['typescript', 'JavaScript'],
    license: ' MIT ',
    deployment: ['library'],
    facets: { category: 'ORM', deployment: ['Self-Hosted'] },
  });
  expect(facetsOf(entity)).toEqual([
    'language=typescript',
    'language=javascript',
    'category=orm',
    'license=mit',
    'deployment=library',
    'deployment=self-hosted',
  ]);
});

it('takes facets of any entity, and none where there are none', () => {
  const { entity } = parseEntity({ type: 'skill', path: '/s', name: 's', facets: { language: 'Go' } });
  expect(facetsOf(entity)).toEqual(['language=go']);
  expect(facetsOf(parseEntity({ type: 'skill', path: '/s', name: 's' }).entity)).toEqual([]);
});

it('has no facet for the whole text of a license', () => {
  const license = 'x'.repeat(129);
  expect(facetsOf(parseEntity({ type: 'skill', path: '/s', name: 's', license }).entity)).toEqual([]);
  expect(
    facetsOf(parseEntity({ type: 'skill', path: '/s', name: 's', license: license.slice(1) }).entity),
  ).toHaveLength(1);
});

it('refuses a filter by an unknown facet', () => {
  expect(() => facetFilterSchema.parse({ languge: 'go' })).toThrow(/languge/);
  expect(facetKeysOf({ deployment: 'Cloud', language: 'Go' })).toEqual(['language=go', 'deployment=cloud']);
});
