import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LayeredMap, LayeredSet, PARTS, partOf } from './layered-map.ts';

const step = fc.record({ key: fc.nat(60).map(String), value: fc.option(fc.nat(9)) });

it('does what a map does', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 200, size: 'max' }),
      fc.integer({ min: 1, max: 40 }),
      (steps, maxFirstKeys) => {
        const layered = new LayeredMap<string, number>(maxFirstKeys);
        const plain = new Map<string, number>();
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
        expect([...layered.keys()].sort()).toEqual([...plain.keys()].sort());
        for (const [key, value] of plain) expect(layered.get(key)).toBe(value);
      },
    ),
  );
});

it.each([
  ['numbers', (n: number) => `${n}`],
  ['paths', (n: number) => `mcp_server:/team-${n % 7}/server-${n}`],
  ['equal endings', (n: number) => `${n.toString(36)}-mcp-server`],
  ['pairs of CJK characters', (n: number) => String.fromCodePoint(0x4e00 + (n % 80), 0x4e00 + Math.floor(n / 80))],
])('divides keys evenly: %s', (_, keyOf) => {
  const counts = new Uint32Array(PARTS);
  const keys = 100 * PARTS;
  for (let n = 0; n < keys; n++) counts[partOf(keyOf(n))]!++;
  expect(Math.max(...counts)).toBeLessThan((2 * keys) / PARTS);
});

it('has a set too', () => {
  const set = new LayeredSet<string>();
  for (const key of ['a', 'b', 'a', 'c']) set.add(key);
  set.delete('b');
  expect([set.size, set.has('a'), set.has('b'), [...set]]).toEqual([2, true, false, ['a', 'c']]);
});
