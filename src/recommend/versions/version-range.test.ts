import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion } from './version.ts';
import { isReadableRange, newestWithin, satisfies } from './version-range.ts';

describe('TP-12: a version in a range', () => {
  it.each([
    ['npm', '^1.2.3', ['1.2.3', '1.9.0'], ['1.2.2', '2.0.0', '2.0.0-beta.1', '1.3.0-beta']],
    ['npm', '^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0', '1.0.0']],
    ['npm', '^0.0.3', ['0.0.3'], ['0.0.4', '0.1.0']],
    ['npm', '^18 || ^19', ['18.2.0', '19.2.5'], ['17.0.2', '20.0.0']],
    ['npm', '~1.2', ['1.2.0', '1.2.9'], ['1.3.0']],
    ['npm', '~1', ['1.9.9'], ['2.0.0']],
    ['npm', '>=1.2.0 <2', ['1.2.0', '1.99.0'], ['1.1.9', '2.0.0']],
    ['npm', '>= 1.2', ['3.0.0'], ['1.1.9']],
    ['npm', '1.2.0 - 2.0.0', ['1.2.0', '2.0.0'], ['2.0.1']],
    ['npm', '1.x', ['1.0.0', '1.9.9'], ['2.0.0', '0.9.0']],
    ['npm', '1.2', ['1.2.7'], ['1.3.0']],
    ['npm', '1.2.3', ['1.2.3', 'v1.2.3', '1.2.3+build5'], ['1.2.4']],
    ['npm', '^18.x', ['18.0.0', '18.2.0'], ['17.9.9', '19.0.0']],
    ['npm', '^0.x', ['0.0.1', '0.9.0'], ['1.0.0']],
    ['npm', '^18.0.0-0', ['18.0.0', '18.0.0-rc.1', '18.2.0'], ['17.9.9', '19.0.0', '18.1.0-rc.1']],
    ['npm', '~1.2.x', ['1.2.0', '1.2.9'], ['1.1.9', '1.3.0']],
    ['npm', '1.x.x', ['1.0.0', '1.9.9'], ['2.0.0']],
    ['npm', '1.2 - 1.2.0-beta.1', [], ['1.2.0-beta.1', '1.2.0']],
    ['npm', '>=16.x', ['16.0.0', '18.2.0'], ['15.9.9']],
    ['npm', '>=16.8 || 17.x', ['16.8.0', '17.0.2', '19.0.0'], ['16.7.9']],
    ['npm', '<=18', ['18.0.0', '18.2.0', '1.0.0'], ['19.0.0']],
    ['npm', '<=18.2.0', ['18.2.0'], ['18.2.1']],
    ['npm', '<18.x', ['17.9.9'], ['18.0.0']],
    ['npm', '>1', ['2.0.0'], ['1.0.0', '1.0.1', '1.9.9']],
    ['npm', '>1.2.x', ['1.3.0'], ['1.2.9']],
    ['npm', '>1.0.0', ['1.0.1'], ['1.0.0']],
    ['npm', '=1.2', ['1.2.0', '1.2.9'], ['1.3.0']],
    ['npm', '= 1.2.3', ['1.2.3'], ['1.2.4']],
    ['npm', '1.2 - 2', ['1.2.0', '2.5.0'], ['1.1.9', '3.0.0']],
    ['npm', '', ['0.0.1', '9.9.9'], ['1.0.0-rc.1']],
    ['npm', '^1 ||', ['1.0.0', '7.7.7'], []],
    ['npm', '>=*', ['0.0.1'], []],
    ['npm', '*', ['0.0.1', '9.9.9'], ['1.0.0-rc.1']],
    ['npm', '>=2.0.0-beta.1', ['2.0.0-beta.2', '2.0.0', '3.0.0'], ['2.0.0-alpha.9', '3.0.0-beta.1']],
    ['pypi', '>=3.10,<4', ['3.10', '3.12.1'], ['3.9', '4.0']],
    ['pypi', '~=2.1', ['2.1', '2.9'], ['3.0', '2.0']],
    ['pypi', '~=2.1.0', ['2.1.5'], ['2.2.0']],
    ['pypi', '>=1, !=1.5', ['1.4', '1.6'], ['1.5', '1.5.0']],
    ['pypi', '==1.4.*', ['1.4.0', '1.4.9'], ['1.5.0']],
    ['pypi', '>=3.6,!=3.7.*', ['3.6', '3.8', '3.70'], ['3.5', '3.7', '3.7.1']],
    ['pypi', '>=3.6, !=3.7.*, <4', ['3.8'], ['3.7.4', '4.0']],
    ['pypi', '<=18', ['18', '18.0'], ['18.2.0']],
    ['pypi', '>1', ['1.0.1'], ['1.0']],
    ['pypi', '', ['1.0'], ['1.0rc1']],
    ['pypi', '>=1.0', ['1.0.post1', '1.0'], ['1.0rc1', '0.9']],
    ['cargo', '^0.12', ['0.12.0', '0.12.9'], ['0.13.0', '0.11.0']],
    ['cargo', '0.12', ['0.12.4'], ['0.13.0']],
    ['cargo', '=1.2', ['1.2.9'], ['1.3.0']],
    ['cargo', '>1, <=2', ['2.5.0'], ['1.0.1', '3.0.0']],
    ['cargo', '>=1.2, <1.5', ['1.4.0'], ['1.5.0']],
    ['rubygems', '~> 2.1', ['2.1', '2.9.1'], ['3.0', '2.0.9']],
    ['rubygems', '~> 2.1.0', ['2.1.9'], ['2.2.0']],
    ['rubygems', '>= 1.0, < 2', ['1.5'], ['2.0']],
    ['packagist', '^7.0 || ^8.0', ['7.4', '8.1.2'], ['9.0', '6.9']],
    ['packagist', '1.0 - 2.0', ['1.0', '2.0.9'], ['2.1']],
    ['packagist', '<=2', ['2.0'], ['2.0.1']],
    ['packagist', '~1.2', ['1.9'], ['2.0']],
    ['packagist', '>=1.0 <1.1 | >=1.2', ['1.0.5', '1.2'], ['1.1']],
    ['maven', '[1.0,2.0)', ['1.0', '1.9.9', '1.5.Final'], ['2.0', '0.9']],
    ['maven', '(,1.0],[1.2,)', ['0.1', '1.0', '1.2', '9'], ['1.1']],
    ['maven', '[1.5]', ['1.5', '1.5.0'], ['1.5.1']],
    ['maven', '1.0', ['1.0', '2.0'], ['0.9']],
    ['docker', 'alpine-3', ['alpine-3'], ['3', 'alpine-3.1']],
  ])('%s %s', (ecosystem, range, inside, outside) => {
    expect(inside.filter((version) => !satisfies(version, range, ecosystem))).toEqual([]);
    expect(outside.filter((version) => satisfies(version, range, ecosystem))).toEqual([]);
  });

  it.each(['', '  '])('is any of npm and pypi, and none elsewhere, for the range %j', (range) => {
    for (const ecosystem of ['npm', 'pypi', 'cargo', 'rubygems', 'packagist', 'maven', 'docker']) {
      const isAny = ecosystem === 'npm' || ecosystem === 'pypi';
      expect(satisfies('7.7.7', range, ecosystem)).toBe(isAny);
      expect(isReadableRange(range, ecosystem)).toBe(isAny);
    }
  });

  it.each([
    'latest',
    '^',
    '>=',
    'x.y.z',
    '1.2.3 4.5.6 nonsense',
    '[1.0',
    '<<2',
    '!!',
    '<*',
    '7.x.7',
    'workspace:*',
    '9'.repeat(5000),
  ])('is none for the range %j, without a throw', (range) => {
    for (const ecosystem of ['npm', 'pypi', 'cargo', 'rubygems', 'packagist', 'maven']) {
      expect(satisfies('7.7.7', range, ecosystem)).toBe(false);
      expect(isReadableRange(range, ecosystem)).toBe(false);
    }
  });

  it.each(['', 'latest', '1..2', 'one', '-1'])('is none for the version %j', (version) => {
    expect(satisfies(version, '*')).toBe(false);
  });
});

it('versions have an order', () => {
  const ordered = [
    '1.0.dev1',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta',
    '1.0.0-rc.2',
    '1.0',
    '1.0.post1',
    '1.0.1',
    '1.10',
  ];
  const sorted = ordered.toReversed().sort((a, b) => compareVersions(parseVersion(a)!, parseVersion(b)!));
  expect(sorted).toEqual(ordered);
});

it('the newest version within a range', () => {
  expect(newestWithin(['16.0.0', '17.0.2', '17.0.1', '19.2.5'], '^17')).toBe('17.0.2');
  expect(newestWithin(['16.0.0', 'odd'], '^17')).toBeNull();
});
