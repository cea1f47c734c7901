import { expect, it } from 'vitest';
import { type EntityId, entityId } from '../../model/entity.ts';
import { EntityCache } from './entity-cache.ts';

const stored = (id: EntityId) => ({ id });
const idOf = (n: number) => entityId('tool', `/${n}`);

const LIMITS = { maxEntities: 8192, maxChars: 16_000_000 };

it('drops the least recently used first', () => {
  const cache = new EntityCache<{ readonly id: EntityId }>(LIMITS);
  for (let n = 0; n < 8192; n++) cache.set(stored(idOf(n)), 10);
  expect(cache.get(idOf(0))).toBeDefined();
  cache.set(stored(idOf(9000)), 10);
  expect(cache.get(idOf(0))).toBeDefined();
  expect(cache.get(idOf(1))).toBeUndefined();
  expect(cache.get(idOf(9000))).toBeDefined();
});

it('keeps what is asked for again and again, whatever passes through', () => {
  const cache = new EntityCache<{ readonly id: EntityId }>({ maxEntities: 10, maxChars: 1000 });
  cache.set(stored(idOf(0)), 10);
  for (let n = 1; n < 100; n++) {
    cache.set(stored(idOf(n)), 10);
    expect(cache.get(idOf(0))).toBeDefined();
    if (n > 10) expect(cache.get(idOf(n - 10))).toBeUndefined();
  }
});

it('counts size too: a few huge documents push the rest out, and one alone is not kept', () => {
  const cache = new EntityCache<{ readonly id: EntityId }>(LIMITS);
  cache.set(stored(idOf(1)), 9_000_000);
  cache.set(stored(idOf(1)), 9_000_000);
  expect(cache.get(idOf(1))).toBeDefined();
  cache.set(stored(idOf(2)), 9_000_000);
  expect(cache.get(idOf(1))).toBeUndefined();
  expect(cache.get(idOf(2))).toBeDefined();
  cache.set(stored(idOf(3)), 20_000_000);
  expect(cache.get(idOf(3))).toBeUndefined();
});

it('forgets what is deleted', () => {
  const cache = new EntityCache<{ readonly id: EntityId }>(LIMITS);
  cache.set(stored(idOf(1)), 15_000_000);
  cache.delete(idOf(1));
  cache.delete(idOf(1));
  cache.set(stored(idOf(2)), 15_000_000);
  expect(cache.get(idOf(1))).toBeUndefined();
  expect(cache.get(idOf(2))).toBeDefined();
});
