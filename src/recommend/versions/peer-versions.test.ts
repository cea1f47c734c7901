import { describe, expect, it } from 'vitest';
import { type PackageVersions, peerVerdict } from './peer-versions.ts';

const react = (version: string | null, versions: readonly string[] = []): PackageVersions => ({
  name: 'react',
  ecosystem: 'npm',
  version,
  versions,
  peers: [],
});
const next = (range: string, optional = false): PackageVersions => ({
  name: 'next',
  ecosystem: 'npm',
  version: '15.0.0',
  versions: [],
  peers: [{ name: 'react', range, optional }],
});

describe('TP-11: the versions of a peer', () => {
  it.each([
    ['fit', next('^18 || ^19'), react('19.2.5'), 'compatible', '19.2.5', false],
    [
      'fit in an older one',
      next('^17'),
      react('19.2.5', ['16.0.0', '17.0.1', '17.0.2', '19.2.5']),
      'compatible',
      '17.0.2',
      true,
    ],
    ['do not fit', next('^20'), react('19.2.5', ['17.0.2', '19.2.5']), 'conflicts', null, false],
    ['do not fit, but need not', next('^20', true), react('19.2.5'), 'unknown', null, false],
    ['are not known', next('^18'), react(null), 'unknown', null, false],
    ['fit, with an open place', next('^18.x'), react('18.2.0'), 'compatible', '18.2.0', false],
    ['are in a range that cannot be read', next('latest'), react('18.2.0'), 'unknown', null, false],
    ['are in a range that can be read in part', next('^17 || latest'), react('18.2.0'), 'unknown', null, false],
    ['fit the part that can be read', next('^18 || latest'), react('18.2.0'), 'compatible', '18.2.0', false],
    ['cannot be read', next('^18'), react('latest', ['next']), 'unknown', null, false],
    ['are known without the newest', next('^18'), react(null, ['18.1.0']), 'compatible', '18.1.0', true],
  ] as const)('%s', (_, own, other, verdict, version, isPartial) => {
    expect(peerVerdict(own, other)).toMatchObject({ verdict, version, isPartial });
  });

  it('say nothing where no peer is named, or it is of another ecosystem', () => {
    expect(peerVerdict(react('19.0.0'), next('^19'))).toBeNull();
    expect(peerVerdict(next('^19'), { ...react('19.0.0'), ecosystem: 'pypi' })).toBeNull();
  });

  it('say why', () => {
    const { why } = peerVerdict(next('^17'), react('19.2.5', ['17.0.2']))!;
    expect(why).toBe('next needs react ^17: 17.0.2 fits, 19.2.5 does not');
  });
});
