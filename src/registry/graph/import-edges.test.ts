import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { LocalRegistry } from '../contract/registry.ts';

let registry: LocalRegistry;
beforeEach(async () => {
  registry = await memoryRegistry();
  const skills = ['/a', '/b', '/c'].map((path) => ({ type: 'skill', path, name: path.slice(1), description: 'x' }));
  await registry.putMany(skills);
});
afterEach(() => registry.close());

const good = { source: '/a', target: '/b', type: 'REQUIRES' };
const related = async () =>
  (await registry.relations('skill', '/a')).relations.map(({ path, weight }) => `${path} ${weight}`).sort();

it.each([
  ['to itself', { target: '/a' }, 'The edge leads from "/a" to itself.'],
  ['to itself by another name', { target: 'skill:/a' }, 'The edge leads from "/a" to itself.'],
  ['from nowhere', { source: '/nowhere' }, 'There is no entity "/nowhere".'],
  ['to nowhere', { target: 'tool:/a#gone' }, 'There is no entity "tool:/a#gone".'],
  ['with a weight that is no number', { weight: Number.NaN }, "'weight' of the edge is NaN: must be a number from 0."],
  ['with a weight without end', { weight: Number.POSITIVE_INFINITY }, "'weight' of the edge is Infinity: must be"],
  ['with a negative weight', { weight: -1 }, "'weight' of the edge is -1: must be a number from 0."],
  ['with a text as a weight', { weight: '7' }, '\'weight\' of the edge is "7": must be a number from 0.'],
  ['with too much confidence', { confidence: 2 }, "'confidence' of the edge is 2: must be from 0 to 1."],
  ['with a date that is none', { last_verified: 'someday' }, 'must be a date, such as 2026-08-01.'],
  ['of an unknown type', { type: 'LIKES' }, '\'type\' of the edge is "LIKES": must be one of REQUIRES,'],
])('skips an edge %s, says why, and stores the others', async (_, bad, message) => {
  const edges = [good, { ...good, ...bad }, { ...good, target: '/c', weight: 3 }];
  const report = await registry.putEdges({ edges });
  expect(report).toMatchObject({ stored: 2, skipped: 1, first_skipped: [{ index: 1 }] });
  expect(report.first_skipped[0]!.message).toContain(message);
  expect(await related()).toEqual(['/b 1', '/c 3']);
});

it('skips what is no edge at all, and keeps what was stored before', async () => {
  await registry.putEdges({ edges: [good] });
  const report = await registry.putEdges({ edges: [7, null, [], {}, 'edge'] });
  expect([report.stored, report.skipped]).toEqual([0, 5]);
  expect(report.first_skipped.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  expect(await related()).toEqual(['/b 1']);
});

it('refuses a batch that is no list, and names of its own for learned edges', async () => {
  await expect(registry.putEdges({ edges: good as never })).rejects.toMatchObject({ field: 'edges' });
  const learned = { edges: [good], provenance: 'co_use' };
  await expect(registry.putEdges(learned)).rejects.toMatchObject({ field: 'provenance' });
  expect(await related()).toEqual([]);
});
