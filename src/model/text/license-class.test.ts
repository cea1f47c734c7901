import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { hasFacet } from '../entity-parts/facets.ts';
import { licenseClasses } from './license-class.ts';

it.each([
  ['MIT', ['permissive']],
  ['Apache License, Version 2.0', ['permissive']],
  ['BSD-3-Clause', ['permissive']],
  ['0BSD', ['permissive']],
  ['Unlicense', ['permissive']],
  ['CC-BY-4.0', ['permissive']],
  ['BSL-1.0', ['permissive']],
  ['GPL-2.0-only WITH Classpath-exception-2.0', ['copyleft']],
  ['GPL v2 or later', ['copyleft']],
  ['AGPL-3.0-only', ['copyleft']],
  ['GNU Lesser General Public License v3', ['copyleft']],
  ['MPL-2.0', ['copyleft']],
  ['CC-BY-SA-4.0', ['copyleft']],
  ['UNLICENSED', ['proprietary']],
  ['BUSL-1.1', ['proprietary']],
  ['SSPL-1.0', ['proprietary']],
  ['CC-BY-NC-4.0', ['proprietary']],
  ['MIT OR Apache-2.0', ['permissive']],
  ['MIT/Apache-2.0', ['permissive']],
  ['(MIT OR GPL-3.0-or-later)', ['permissive', 'copyleft']],
  ['MIT AND GPL-3.0-only', ['copyleft']],
  ['(MIT OR GPL-3.0-only) AND BUSL-1.1', ['proprietary']],
  ['MIT AND LicenseRef-own', []],
  ['mitre', []],
  ['SEE LICENSE IN LICENSE.md', []],
  ['', []],
])('%j is %j', (license, classes) => {
  expect(licenseClasses(license)).toEqual(classes);
});

it('knows every license of the example catalog', () => {
  const file = readFileSync(new URL('../../../examples/catalog/packages.jsonl', import.meta.url), 'utf8');
  const licenses = new Set(Array.from(file.matchAll(/"license": ?"([^"]*)"/g), ([, license]) => license!));
  expect(licenses.size).toBeGreaterThan(5);
  expect([...licenses].filter((license) => licenseClasses(license).length === 0)).toEqual([]);
});

it('meets a wanted license by its id or by its class, and by no other facet', () => {
  const own = ['license=mit', 'category=copyleft'];
  expect(['license=mit', 'license=permissive', 'category=copyleft'].map((wanted) => hasFacet(own, wanted))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['license=copyleft', 'license=isc', 'category=permissive'].map((wanted) => hasFacet(own, wanted))).toEqual([
    false,
    false,
    false,
  ]);
  expect(hasFacet(['license=proprietary'], 'license=proprietary')).toBe(true);
});
