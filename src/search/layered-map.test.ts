import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LayeredMap, LayeredSet } from './layered-map.ts';

const step = fc.record({ key: fc.nat(30), value: fc.option(fc.nat(9)) });

it('does what a map does', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 12 }), (steps, maxKeys) => {
      const layered = new LayeredMap<number, number>(maxKeys);
      const plain = new Map<number, number>();
      for (const { key, value } of steps) {
        if (value === null) {
          layered.delete(key);
          plain.delete(key);
        } else {
          layered.set(key, value);
          plain.set(key, value);
        }
        expect([layered.size, layered.get(key), layered.has(key)]).toEqual([
          plain.size,
          plain.get(key),
          plain.has(key),
        ]);
      }
      expect(new Set(layered.keys())).toEqual(new Set(plain.keys()));
      expect([...layered.values()].sort()).toEqual([...plain.values()].sort());
      expect([...layered.keys()]).toHaveLength(plain.size);
    }),
  );
});

it('has a set too', () => {
  const set = new LayeredSet<string>();
  for (const key of ['a', 'b', 'a', 'c']) set.add(key);
  set.delete('b');
  expect([set.size, set.has('a'), set.has('b'), [...set]]).toEqual([2, true, false, ['a', 'c']]);
});
