import { describe, expect, it } from 'vitest';
import { normalize } from '../normalize.ts';
import { poolTokens } from './pool-tokens.ts';

describe('poolTokens', () => {
  const tokens = Float32Array.of(3, 0, 3, 8);

  it('averages the tokens and scales to length 1', () => {
    const mean = poolTokens(tokens, 2, { dimensions: 2, pooling: 'mean' });
    expect([...mean]).toEqual([expect.closeTo(0.6, 6), expect.closeTo(0.8, 6)]);
  });

  it('takes the first token where the model wants it', () => {
    expect([...poolTokens(tokens, 2, { dimensions: 2, pooling: 'cls' })]).toEqual([1, 0]);
  });

  it('takes what a model has pooled by itself', () => {
    expect([...poolTokens(Float32Array.of(0, 5), 7, { dimensions: 2, pooling: 'mean' })]).toEqual([0, 1]);
  });

  it('refuses an output of another size', () => {
    const pool = () => poolTokens(tokens, 2, { dimensions: 3, pooling: 'mean' });
    expect(pool).toThrow('the model gave 4 numbers for 2 tokens of 3');
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
