import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

describe('Places', () => {
  it('tells where a number stands in a list, also after other lists', () => {
    const places = new Places();
    const numbers = fc.uniqueArray(fc.oneof(fc.nat(50), fc.nat(5000)), { maxLength: 40 });
    fc.assert(
      fc.property(numbers, numbers, (list, others) => {
        for (const [at, number] of list.entries()) {
          expect(list.slice(0, at)[places.get(number)]).not.toBe(number);
          places.set(number, at);
        }
        for (const [at, number] of list.entries()) expect(places.get(number)).toBe(at);
        for (const number of others) {
          expect(list[places.get(number)] === number).toBe(list.includes(number));
        }
      }),
    );
  });
});
