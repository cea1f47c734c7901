import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Places } from './places.ts';

describe('Places', () => {
  it('tells where each number was put last', () => {
    const put = fc.array(fc.tuple(fc.oneof(fc.nat(50), fc.nat(5000)), fc.nat(300)), { maxLength: 40 });
    fc.assert(
      fc.property(put, (list) => {
        const places = new Places();
        for (const [number, place] of list) places.set(number, place);
        for (const [number, place] of new Map(list)) expect(places.get(number)).toBe(place);
      }),
    );
  });

  it('is 0 for a number that was never put, also beyond the table', () => {
    const places = new Places();
    expect([0, 1023, 1024, 1025, 9999].map((number) => places.get(number))).toEqual([0, 0, 0, 0, 0]);
    places.set(1024, 7);
    expect([1023, 1024, 1025, 2047, 2048, 2049].map((number) => places.get(number))).toEqual([0, 7, 0, 0, 0, 0]);
    places.set(0, 3);
    expect(places.get(0)).toBe(3);
  });
});
