import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OFFICIAL_NAME } from '../../model/entity-types/fields.ts';
import { airIdentifier, airKey, splitAirIdentifier } from '../ard/air-identifier.ts';
import { DISCOVERABLE_TYPES } from '../ard/ard-types.ts';
import { LOCAL_NAMESPACE, namespaceOf, officialName, officialNames } from './official-name.ts';

const OWN = 'com.example.tools';

describe('namespaceOf', () => {
  it.each([
    ['https://tools.example.com', 'com.example.tools'],
    ['https://tools.example.com:8443/base', 'com.example.tools'],
    ['http://localhost:7470', 'localhost'],
    ['http://10.0.0.7', LOCAL_NAMESPACE],
    ['http://[::1]:7470', LOCAL_NAMESPACE],
    [undefined, LOCAL_NAMESPACE],
  ])('of %s is %s', (url, namespace) => {
    expect(namespaceOf(url)).toBe(namespace);
  });
});

describe('officialName', () => {
  it.each([
    ['/context7', 'com.example.tools/context7'],
    ['/io.github.acme/weather', 'io.github.acme/weather'],
    ['/.hidden_-name', 'com.example.tools/.hidden_-name'],
  ])('of %s is %s', (path, name) => {
    expect(officialName(path, OWN)).toBe(name);
  });

  it.each([
    ['context7', /^com\.example\.tools\/context7-[0-9a-f]{10}$/],
    ['io.github.acme/weather', /^com\.example\.tools\/io\.github\.acme-weather-[0-9a-f]{10}$/],
    ['/team/search', /^com\.example\.tools\/team-search-[0-9a-f]{10}$/],
    ['/com.example.tools/x', /^com\.example\.tools\/com\.example\.tools-x-[0-9a-f]{10}$/],
    ['/Café au lait', /^com\.example\.tools\/Cafe-au-lait-[0-9a-f]{10}$/],
    ['/天気', /^com\.example\.tools\/entry-[0-9a-f]{10}$/],
    ['/x-0123456789', /^com\.example\.tools\/x-0123456789-[0-9a-f]{10}$/],
    ['/', /^com\.example\.tools\/entry-[0-9a-f]{10}$/],
  ])('adds a checksum to %s', (path, name) => {
    expect(officialName(path, OWN)).toMatch(name);
  });

  const segment = fc.oneof(
    fc.stringMatching(/^[ab.-]{1,3}$/),
    fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' }),
    fc.constantFrom('a', 'a.b', OWN, 'x-0123456789', '%2F', 'é', 'e\u0301'),
  );
  const path = fc.oneof(
    segment,
    segment.map((one) => `/${one}`),
    fc.tuple(segment, segment).map((two) => `/${two.join('/')}`),
    fc.tuple(segment, segment).map((two) => two.join('/')),
  );
  const paths = fc.uniqueArray(path, { minLength: 2, maxLength: 15 });

  it('is valid for every path, and unique', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const names = all.map((one) => officialName(one, OWN));
        for (const name of names) {
          expect(name).toMatch(OFFICIAL_NAME);
          expect(name.length).toBeLessThanOrEqual(200);
        }
        expect(new Set(names).size).toBe(all.length);
      }),
      { numRuns: 500 },
    );
  });

  it('has an ARD identifier that is also valid and unique, and can be split', () => {
    fc.assert(
      fc.property(paths, (all) => {
        const keys = all.flatMap((one) => DISCOVERABLE_TYPES.map((type) => airKey(type, one)));
        expect(new Set(keys).size).toBe(keys.length);
        for (const key of keys) {
          expect(splitAirIdentifier(airIdentifier('tools.example.com', key))).toEqual({
            domain: 'tools.example.com',
            key,
          });
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('officialNames', () => {
  it('gives a name to the server whose owner has set it, and each other server its own', () => {
    const names = officialNames(
      [
        { path: '/io.github.acme/weather' },
        { path: '/mine', official_name: 'io.github.acme/weather' },
        { path: '/yours', official_name: 'io.github.acme/weather' },
        { path: '/clock', official_name: `${OWN}/yours` },
      ],
      OWN,
    );
    expect(names.get('/mine')).toBe('io.github.acme/weather');
    expect(names.get('/clock')).toBe(`${OWN}/yours`);
    expect(names.get('/io.github.acme/weather')).toMatch(
      /^com\.example\.tools\/io\.github\.acme-weather-[0-9a-f]{10}$/,
    );
    expect(names.get('/yours')).toMatch(/^com\.example\.tools\/yours-[0-9a-f]{10}$/);
    expect(new Set(names.values()).size).toBe(4);
  });
});
