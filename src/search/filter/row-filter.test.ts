import { expect, it } from 'vitest';
import type { EntityId } from '../../model/entity.ts';
import type { EntityFacts } from '../../model/query/filter.ts';
import { RowFilter } from './row-filter.ts';

const facts = (path: string, more: Partial<EntityFacts> = {}): EntityFacts => {
  const id = `tool:${path}` as EntityId;
  const common = {
    status: 'active',
    enabled: true,
    tags: [],
    readers: ['public'],
    visibility: 'public',
    facets: [],
    memory: null,
  } as const;
  return { id, type: 'tool', ...common, ...more };
};
const lookup = {
  rowsOfEntity: (id: EntityId) => (id === 'tool:/a' ? [0, 1] : []),
  rowOfUnit: () => undefined,
};

it('returns the same bitset for the same filter until a write', () => {
  const filter = new RowFilter(lookup);
  filter.add(facts('/a'), [{ row: 0, kind: 'card' }]);
  const query = { statuses: ['active'], enabled: true } as const;
  const rows = filter.rows(query);
  expect(filter.rows({ ...query })).toBe(rows);
  filter.add(facts('/b'), [{ row: 1, kind: 'card' }]);
  expect([...filter.rows(query)]).toEqual([0, 1]);
  expect([...rows]).toEqual([0]);
});

it('sees changes of a filter object', () => {
  const filter = new RowFilter(lookup);
  filter.add(facts('/a', { tags: ['x'] }), [{ row: 0, kind: 'card' }]);
  filter.add(facts('/b', { tags: ['y'] }), [{ row: 1, kind: 'card' }]);
  const query = { tags: ['x'] };
  expect([...filter.rows(query)]).toEqual([0]);
  query.tags[0] = 'y';
  expect([...filter.rows(query)]).toEqual([1]);
  const outside = Object.freeze({ tags: ['x'] });
  expect([...filter.rows(outside)]).toEqual([0]);
  outside.tags[0] = 'y';
  expect([...filter.rows(outside)]).toEqual([1]);
});

it('distinguishes filters that differ in one clause', () => {
  const filter = new RowFilter(lookup);
  filter.add(facts('/a', { tags: ['x'] }), [{ row: 0, kind: 'card' }]);
  filter.add(facts('/b', { readers: ['x'] }), [{ row: 1, kind: 'chunk' }]);
  expect([...filter.rows({ tags: ['x'] })]).toEqual([0]);
  expect([...filter.rows({ readers: ['x'] })]).toEqual([1]);
  expect([...filter.rows({ tags: [] })]).toEqual([0, 1]);
  expect([...filter.rows({ readers: [] })]).toEqual([]);
});

it('callers who may read the same share a bitset, until one of them has something of its own', () => {
  const filter = new RowFilter(lookup);
  filter.add(facts('/a'), [{ row: 0, kind: 'card' }]);
  const rowsOf = (...readers: string[]) => filter.rows({ readers });
  expect(rowsOf('public', 'user:ada')).toBe(rowsOf('user:bob', 'public'));
  const own = facts('/b', { readers: ['user:ada'] });
  filter.add(own, [{ row: 1, kind: 'card' }]);
  expect([...rowsOf('public', 'user:ada')]).toEqual([0, 1]);
  expect([...rowsOf('public', 'user:bob')]).toEqual([0]);
  filter.remove(own, [{ row: 1, kind: 'card' }]);
  expect(filter.presentReaders(['user:ada', 'public', 'public'])).toEqual(['public']);
});

it('works with more filters than it caches', () => {
  const filter = new RowFilter(lookup);
  filter.add(facts('/a', { tags: ['t7'] }), [{ row: 0, kind: 'card' }]);
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < 100; n++) expect([...filter.rows({ tags: [`t${n}`] })]).toEqual(n === 7 ? [0] : []);
  }
});

it('applies the rest of the filter to named entities', () => {
  const filter = new RowFilter(lookup);
  filter.add(facts('/a'), [
    { row: 0, kind: 'card' },
    { row: 1, kind: 'chunk' },
  ]);
  const entities = ['tool:/a' as EntityId, 'tool:/gone' as EntityId];
  expect([...filter.rows({ entities })]).toEqual([0, 1]);
  expect([...filter.rows({ entities, unitKinds: ['chunk'] })]).toEqual([1]);
  expect([...filter.rows({ entities, statuses: ['draft'] })]).toEqual([]);
  expect([...filter.rows({ entities: [] })]).toEqual([]);
});

it('has a tag while some entity has it, ignoring case', () => {
  const filter = new RowFilter(lookup);
  const tagged = facts('/a', { tags: ['git hub'] });
  filter.add(tagged, [{ row: 0, kind: 'card' }]);
  expect(['git hub', ' Git HUB ', 'git', ''].map((tag) => filter.hasTag(tag))).toEqual([true, true, false, false]);
  filter.remove(tagged, [{ row: 0, kind: 'card' }]);
  expect(filter.hasTag('git hub')).toBe(false);
});

it('keeps its rows from one moment to the next, until a memory ends', () => {
  const filter = new RowFilter(lookup);
  const until = (validTo: number) => ({
    labels: [],
    at: 0,
    validFrom: null,
    validTo,
    certainty: null,
    successor: null,
    hash: null,
  });
  filter.add(facts('/a', { memory: until(10) }), [{ row: 0, kind: 'card' }]);
  filter.add(facts('/b', { memory: until(20) }), [{ row: 1, kind: 'card' }]);
  filter.add(facts('/c'), [{ row: 2, kind: 'card' }]);
  const rowsAt = (endsAfter: number) => filter.rows({ endsAfter });
  expect([...rowsAt(5)]).toEqual([0, 1, 2]);
  expect([...rowsAt(11)]).toEqual([1, 2]);
  expect(rowsAt(12)).toBe(rowsAt(13));
  expect([...rowsAt(21)]).toEqual([2]);
  expect([...rowsAt(11)]).toEqual([1, 2]);
});
