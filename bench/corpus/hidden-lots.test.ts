import { describe, expect, it } from 'vitest';
import { HiddenLots } from './hidden-lots.ts';

const draws = (seed: number, topic: number, count: number) => {
  const lots = new HiddenLots(seed, 3);
  return Array.from({ length: count }, () => lots.draw(topic));
};

describe('HiddenLots', () => {
  it('hides one of every ten entities of a topic', () => {
    const drawn = draws(7, 1, 200);
    for (let start = 0; start < 200; start += 10) {
      expect(drawn.slice(start, start + 10).filter((state) => state !== null)).toHaveLength(1);
    }
  });

  it('counts each topic on its own', () => {
    const lots = new HiddenLots(7, 3);
    const hidden = [0, 0, 0];
    for (let i = 0; i < 300; i++) if (lots.draw(i % 3) !== null) hidden[i % 3]! += 1;
    expect(hidden).toEqual([10, 10, 10]);
  });

  it('draws by lot, the same for the same seed', () => {
    expect(draws(7, 0, 100)).toEqual(draws(7, 0, 100));
    expect(draws(8, 0, 100)).not.toEqual(draws(7, 0, 100));
    const places = new Set(draws(7, 0, 200).flatMap((state, i) => (state === null ? [] : [i % 10])));
    expect(places.size).toBeGreaterThan(3);
  });
});
