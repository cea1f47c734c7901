import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Places } from './places.ts';

// Numbers that differ only in their high bits meet in one slot.
const number = fc.oneof(
  fc.nat(50),
  fc.nat(5000),
  fc.nat(20).map((n) => n << 20),
);

it('has the same places as a map, search after search', () => {
  const searches = fc.array(fc.array(fc.tuple(number, fc.nat(300)), { maxLength: 40 }), { maxLength: 4 });
  fc.assert(
    fc.property(searches, fc.array(number), (lists, asked) => {
      const places = new Places();
      for (const list of lists) {
        places.clear();
        const expected = new Map<number, number>();
        for (const [row, place] of list) {
          expect(places.get(row)).toBe(expected.get(row) ?? -1);
          if (!expected.has(row)) expected.set(row, place);
          expect(places.getOrSet(row, place)).toBe(expected.get(row));
        }
        for (const row of [...asked, ...expected.keys()]) expect(places.get(row)).toBe(expected.get(row) ?? -1);
      }
    }),
  );
});

it('grows, and has none of that after it was cleared', () => {
  const places = new Places();
  const rows = Array.from({ length: 5000 }, (_, at) => at * 7);
  for (const [at, row] of rows.entries()) places.getOrSet(row, at);
  expect(rows.every((row, at) => places.get(row) === at)).toBe(true);
  expect(places.get(3)).toBe(-1);
  places.clear();
  expect(rows.every((row) => places.get(row) === -1)).toBe(true);
});
