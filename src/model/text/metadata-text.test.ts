import { expect, it } from 'vitest';
import { flattenMetadata, tellingMetadata } from './metadata-text.ts';

it('FL-1: writes keys, list items and the values one level below', () => {
  expect(flattenMetadata({ team: 'x', langs: ['py', 'go'], geo: { r: 'eu' } })).toBe('team x langs py go geo eu');
  expect(flattenMetadata({ source: 'agentcore-sync', region: 'us-east-1' })).toBe(
    'source agentcore-sync region us-east-1',
  );
});

it.each([null, undefined, 'text', 5, ['a'], {}])('FL-1: gives nothing for %j', (value) => {
  expect(flattenMetadata(value)).toBe('');
});

it('FL-1: writes scalars of every kind, zero and false included', () => {
  expect(flattenMetadata({ n: 0, on: false, none: null })).toBe('n 0 on false none');
});

it('tells only what has meaning: no addresses, no nested objects, no long or encoded values', () => {
  const metadata = {
    team: 'data platform',
    langs: ['py', 'go'],
    repository: 'https://example.com/x',
    schema: '{"type":"object"}',
    notes: 'x'.repeat(201),
    config: { region: 'eu' },
    stars: 0,
  };
  expect(tellingMetadata(metadata)).toBe('team data platform langs py go stars 0');
  expect(tellingMetadata(metadata, 'nested')).toBe('team data platform langs py go config eu stars 0');
  expect(tellingMetadata({ deep: { a: { b: 'c' } }, site: { url: 'https://example.com' } }, 'nested')).toBe('');
});
