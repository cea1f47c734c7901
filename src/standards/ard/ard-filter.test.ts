import { describe, expect, it } from 'vitest';
import { ardRecord, CLOCK } from '../../../test/support/ard-record.ts';
import { type ArdSummary, toArdSummary } from './ard-entry.ts';
import { countFacet, matchesArdFilter, parseArdFilter } from './ard-filter.ts';

const DOMAIN = 'tools.example.com';
const CARD = 'application/mcp-server-card+json';

const summary = toArdSummary(ardRecord(CLOCK));

describe('parseArdFilter and matchesArdFilter', () => {
  const matches = (filter: Record<string, string | string[]>, context?: unknown) =>
    matchesArdFilter(parseArdFilter(filter, context), summary, DOMAIN);

  it.each([
    [{ type: CARD }, true],
    [{ type: ['application/a2a-agent-card+json', CARD] }, true],
    [{ type: 'application/a2a-agent-card+json' }, false],
    [{ tags: ['time'] }, true],
    [{ tags: ['other', 'ZONES'] }, true],
    [{ tags: [] }, false],
    [{ tags: 'time', capabilities: 'now' }, true],
    [{ tags: 'time', capabilities: 'later' }, false],
    [{ publisher: DOMAIN, version: '2.0.0' }, true],
    [{ publisher: 'evil.example' }, false],
    [{ identifier: `urn:air:${DOMAIN}:server:clock` }, true],
    [{ 'metadata.entity_type': 'mcp_server', 'metadata.path': '/clock', 'metadata.status': 'active' }, true],
    [{}, true],
  ])('takes %j as %s', (filter, expected) => {
    expect(matches(filter as Record<string, string | string[]>)).toBe(expected);
  });

  it('knows its own terms by prefix and by IRI', () => {
    const namespace = 'https://agenticresourcediscovery.org/ns#';
    expect(matches({ 'ard:tags': 'time' }, { ard: namespace })).toBe(true);
    expect(matches({ 'a:tags': 'time' }, ['https://other.example', { a: namespace }])).toBe(true);
    expect(matches({ [`${namespace}tags`]: 'time' })).toBe(true);
  });

  it.each(['okf:taxonomy', 'trustManifest.attestations.type', '__proto__x', 'metadata.team'])(
    'refuses the unknown term %s',
    (term) => {
      expect(() => matches({ [term]: 'x' })).toThrow(expect.objectContaining({ field: `query.filter.${term}` }));
    },
  );
});

describe('countFacet', () => {
  const entry = (path: string, tags: readonly string[]): ArdSummary => ({ ...summary, key: `server:${path}`, tags });
  const entries = [
    entry('a', ['x', 'y']),
    entry('b', ['x']),
    entry('c', ['z', 'z']),
    entry('d', ['w']),
    entry('e', []),
  ];

  it('counts entries by value, the most frequent first, ties by value', () => {
    expect(countFacet(entries, { term: 'tags', limit: 20, minCount: 1 }, DOMAIN)).toEqual({
      buckets: [
        { value: 'x', count: 2 },
        { value: 'w', count: 1 },
        { value: 'y', count: 1 },
        { value: 'z', count: 1 },
      ],
    });
  });

  it('says how many entries are only in buckets past the limit', () => {
    expect(countFacet(entries, { term: 'tags', limit: 2, minCount: 1 }, DOMAIN)).toEqual({
      buckets: [
        { value: 'x', count: 2 },
        { value: 'w', count: 1 },
      ],
      otherCount: 1,
    });
  });

  it('leaves out rare values, and counts nothing without entries', () => {
    expect(countFacet(entries, { term: 'tags', limit: 20, minCount: 2 }, DOMAIN).buckets).toEqual([
      { value: 'x', count: 2 },
    ]);
    expect(countFacet([], { term: 'type', limit: 20, minCount: 1 }, DOMAIN)).toEqual({ buckets: [] });
  });
});
