import { expect, it } from 'vitest';
import { IDENTIFIER_MARK, identifierTerm, identifierText, packageNames } from './identifiers.ts';

it('gives all spellings of an address one term', () => {
  const spellings = [
    'https://github.com/Acme/Tools',
    'http://www.github.com/acme/tools/',
    'git+https://github.com/acme/tools.git',
    'ssh://github.com/acme/tools.git',
    'https://github.com/acme/tools?tab=readme#usage',
    ' github.com/acme/tools ',
  ];
  expect(new Set(spellings.map(identifierTerm))).toEqual(new Set([`${IDENTIFIER_MARK}github.com/acme/tools`]));
  expect(identifierTerm('@Acme/tools')).toBe(`${IDENTIFIER_MARK}@acme/tools`);
});

it('refuses what cannot be an identifier', () => {
  for (const text of ['', '   ', 'two words', `a${IDENTIFIER_MARK}b`, 'x'.repeat(600), 'https://']) {
    expect(identifierTerm(text)).toBeNull();
  }
});

it('writes each identifier once', () => {
  const text = identifierText(['https://acme.com', undefined, 'acme.com/', '', '@acme/tools']);
  expect(text.split('\n')).toEqual([
    `${IDENTIFIER_MARK}acme.com${IDENTIFIER_MARK}`,
    `${IDENTIFIER_MARK}@acme/tools${IDENTIFIER_MARK}`,
  ]);
});

it('reads the packages of a runtime and of the metadata, and nothing else', () => {
  const packages = [{ identifier: 'acme-two' }, { identifier: 3 }, 'acme-three', null];
  expect(packageNames({ local_runtime: { type: 'npx', package: '@acme/one' }, metadata: { packages } })).toEqual([
    '@acme/one',
    'acme-two',
  ]);
  expect(packageNames({ metadata: { packages: 'none' } })).toEqual([]);
});
