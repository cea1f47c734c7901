import { expect, it } from 'vitest';
import { amid, isSeen, type MapPoint, moved, nearestTo, pointAt, viewBoxOf, WHOLE, zoomed } from './view.ts';

const point = (x: number, y: number): MapPoint => ({ entity_type: 'skill', path: `/${x}-${y}`, name: 'a', x, y });

it('keeps the place under the pointer when it is enlarged, and everything in sight when it is shrunk again', () => {
  const view = zoomed(WHOLE, 2, { x: 0.75, y: 0.25 });
  expect(view).toEqual({ x: 0.625, y: 0.375, zoom: 2 });
  expect(zoomed(view, 0.5, { x: 0, y: 0 })).toBe(WHOLE);
  expect(zoomed(WHOLE, 1000).zoom).toBe(40);
  expect(viewBoxOf(WHOLE)).toBe('-30.00 -30.00 1060.00 1060.00');
});

it('moves by what is seen, and not away from the map', () => {
  const view = zoomed(WHOLE, 4);
  expect(moved(view, 1, 0).x).toBeCloseTo(0.5 + 1.06 / 4, 10);
  expect(moved(view, 100, -100)).toMatchObject({ x: 1, y: 0 });
  expect([isSeen(view, point(0.6, 0.4)), isSeen(view, point(0.9, 0.5))]).toEqual([true, false]);
});

it('finds points near a place, and the place amid results', () => {
  const [a, b, c] = [point(0.1, 0.1), point(0.2, 0.1), point(0.9, 0.9)];
  expect(nearestTo({ x: 0.19, y: 0.1 }, [c, a, b])).toEqual([b, a, c]);
  expect(pointAt({ x: 0.85, y: 0.9 }, [a, b, c], 0.1)).toBe(c);
  expect(pointAt({ x: 0.5, y: 0.5 }, [a, b, c], 0.1)).toBeUndefined();
  const middle = amid([
    { point: a, weight: 3 },
    { point: c, weight: 1 },
  ])!;
  expect(middle.x).toBeCloseTo(0.3, 10);
  expect(amid([])).toBeUndefined();
});
