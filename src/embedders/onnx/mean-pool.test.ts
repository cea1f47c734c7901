import { describe, expect, it } from 'vitest';
import { normalize } from '../normalize.ts';
import { meanPool } from './mean-pool.ts';

describe('meanPool', () => {
  it('averages the tokens and scales to length 1', () => {
    expect([...meanPool(Float32Array.of(3, 0, 3, 8), [1, 1], 2)]).toEqual([
      expect.closeTo(0.6, 6),
      expect.closeTo(0.8, 6),
    ]);
  });

  it('leaves masked tokens out', () => {
    expect([...meanPool(Float32Array.of(0, 5, 700, 900), [1n, 0n], 2)]).toEqual([0, 1]);
  });
});

describe('normalize', () => {
  it('keeps the direction of a vector of any length', () => {
    expect([...normalize(Float32Array.of(0, -1e-20, 0))]).toEqual([0, -1, 0]);
  });

  it('leaves a vector without a direction as it is', () => {
    expect([...normalize(Float32Array.of(0, 0))]).toEqual([0, 0]);
  });
});
