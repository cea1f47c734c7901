import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LargestNumbers } from './largest-numbers.ts';

test('the n-th largest is what a sort says, from the floor on', () => {
  const largest = new LargestNumbers();
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 400 }),
      fc.integer({ min: 1, max: 150 }),
      fc.nat(20),
      (numbers, wanted, floor) => {
        largest.reset(wanted, floor);
        let lowest = largest.floor;
        for (const number of numbers) if (number > lowest) lowest = largest.add(number);
        const sorted = numbers.toSorted((a, b) => b - a);
        expect(largest.nth()).toBe(Math.max(floor, sorted[wanted - 1] ?? 0));
      },
    ),
    { numRuns: 2000 },
  );
});
