import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WaitingOrder } from './waiting-order.ts';

/** A row begins to wait under a name, or ends to wait. */
const step = fc.record({ row: fc.nat(8), name: fc.option(fc.nat(50)), reads: fc.nat(3) });

it('lists what waits in order, whatever rows are freed and used again', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const order = new WaitingOrder();
      const names = new Map<number, number>();
      const compare = (a: number, b: number) => names.get(a)! - names.get(b)! || a - b;
      for (const { row, name, reads } of steps) {
        if (name === null) names.delete(row);
        else if (!names.has(row)) {
          names.set(row, name);
          order.add(row);
        }
        const expected = [...names.keys()].sort(compare).slice(0, reads);
        const found: number[] = [];
        for (const waiting of order.rows((other) => names.has(other), compare)) {
          if (found.length === reads) break;
          found.push(waiting);
        }
        expect(found).toEqual(expected);
      }
    }),
  );
});
