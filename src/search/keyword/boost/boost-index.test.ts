import { expect, test, vi } from 'vitest';
import { Bitset } from '../../filter/bitset.ts';
import { analyzeUnit } from '../../text/analyzed-unit.ts';
import { boostTokens } from '../../text/boost-tokens.ts';
import { BoostIndex } from './boost-index.ts';
import { SubstringIndex } from './substring-index.ts';

const card = analyzeUnit({
  path: '/flights',
  name: 'Flight Finder',
  description: 'Search and compare',
  tags: 'flight\nbooking',
});
const searchTool = analyzeUnit({ name: 'search_flights', description: 'find flights', path: '/flights' });
const pingTool = analyzeUnit({ name: 'ping', description: 'alive', path: '/flights' });
const ALL = { eligible: null, limit: 10, compareRows: (a: number, b: number) => a - b };

function flights(): BoostIndex {
  const index = new BoostIndex();
  index.add(3, searchTool, { cardRow: 4, kind: 'tool' });
  index.add(4, card, { cardRow: 4, kind: 'card' });
  index.add(5, pingTool, { cardRow: 4, kind: 'tool' });
  return index;
}

test('scores cards, and adds matching tools to their card', () => {
  const index = flights();
  expect(index.search(boostTokens('flight'), ALL)).toEqual({ rows: [4], scores: [10.5] });
  expect(index.search(boostTokens('ping'), ALL)).toEqual({ rows: [4], scores: [1] });
  expect(index.search(boostTokens('hotel'), ALL)).toEqual({ rows: [], scores: [] });
  expect(index.search([], ALL)).toEqual({ rows: [], scores: [] });
  expect(index.scoreRows(boostTokens('flight'), [4, 3, 99])).toEqual([10.5, 0, 0]);
});

test('scores each token by itself, without metadata', () => {
  const index = flights();
  index.add(7, analyzeUnit({ name: 'Flight', metadata: 'search' }), { cardRow: 7, kind: 'card' });
  const boosts = index.boostsForEach(boostTokens('flight search flight'));
  // Row 4 has a name, a path, tags and a tool for each `flight`, a description and a tool for `search`.
  expect([...boosts].sort(([a], [b]) => a - b)).toEqual([
    [4, 2 * 10.5 + 3],
    [7, 2 * 3],
  ]);
  for (const [row, boost] of boosts)
    expect(index.explainEach(boostTokens('flight search flight'), row).value).toBe(boost);
  expect(index.boostsForEach(['hotel']).size).toBe(0);
});

test('filters card rows, not tool rows', () => {
  const index = flights();
  expect(index.search(['flight'], { ...ALL, eligible: Bitset.of([4]) }).scores).toEqual([10.5]);
  expect(index.search(['flight'], { ...ALL, eligible: Bitset.of([3]) }).rows).toEqual([]);
});

test('does not match the path of a tool row', () => {
  const index = new BoostIndex();
  index.add(0, analyzeUnit({ name: 'Air' }), { cardRow: 0, kind: 'card' });
  index.add(1, pingTool, { cardRow: 0, kind: 'tool' });
  expect(index.search(['flights'], ALL).rows).toEqual([]);
});

test('ignores rows of other kinds', () => {
  const index = flights();
  index.add(9, searchTool, { cardRow: 4, kind: 'agent_skill' });
  expect(index.size).toBe(3);
  expect(index.search(['flight'], ALL).scores).toEqual([10.5]);
  index.remove(9, searchTool);
  expect(index.size).toBe(3);
});

test('leaves new words out of the substring index while a change is prepared', () => {
  const index = flights();
  const added = vi.spyOn(SubstringIndex.prototype, 'add');
  const preparing = index.prepare([
    { row: 7, before: null, after: analyzeUnit({ name: 'harbor lamp' }), cardRow: 7, kind: 'card' },
  ]);
  let slice = preparing.next();
  while (slice.done !== true) slice = preparing.next();
  expect(index.search(['arbo'], ALL).rows).toEqual([]);
  expect(added).toHaveBeenCalledTimes(0);
  slice.value.apply();
  expect(index.search(['arbo'], ALL).rows).toEqual([7]);
  expect(added).toHaveBeenCalledTimes(2);
  added.mockRestore();
});

test('explains a boost field by field', () => {
  const { value, parts } = flights().explain(boostTokens('flight'), 4);
  expect(value).toBe(10.5);
  expect(parts!.map(({ label, value: part }) => [label, part])).toEqual([
    ['path', 5],
    ['name', 3],
    ['tags', 1.5],
    ['tools', 1],
  ]);
  expect(flights().explain(['flight'], 3)).toMatchObject({ value: 0, parts: [] });
});

test('throws for a row that is taken and for a unit that was not added', () => {
  const index = flights();
  expect(() => index.add(4, card, { cardRow: 4, kind: 'card' })).toThrow('row 4 is taken');
  expect(() => index.remove(5, searchTool)).toThrow("row 5 has no word 'search_flights'");
});

test('rejects an inconsistent snapshot', () => {
  const parts = flights().toParts();
  expect(() => BoostIndex.fromParts({ ...parts, header: '{"format":7}' })).toThrow('format 7');
  expect(() => BoostIndex.fromParts({ ...parts, postingFields: new Uint8Array(1) })).toThrow('do not add up');
  expect(() => BoostIndex.fromParts({ ...parts, words: 'one\ntwo' })).toThrow('lists for 2 words');
});
