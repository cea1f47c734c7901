import { normalize } from '../normalize.ts';

interface Pooling {
  readonly dimensions: number;
  /** The mean of the tokens, or the first one. */
  readonly pooling: 'mean' | 'cls';
}

/**
 * The vector of a text, of length 1, from the output of a model: rows of `dimensions` numbers, one for each token. Some
 * models pool by themselves and give one row.
 */
export function poolTokens(output: Float32Array, tokens: number, { dimensions, pooling }: Pooling): Float32Array {
  const isPooled = output.length === dimensions;
  if (!isPooled && output.length !== tokens * dimensions)
    throw new Error(`the model gave ${output.length} numbers for ${tokens} tokens of ${dimensions}`);
  if (isPooled || pooling === 'cls') return normalize(output.slice(0, dimensions));
  const sums = new Float64Array(dimensions);
  for (let token = 0; token < tokens; token++) {
    const row = token * dimensions;
    for (let i = 0; i < dimensions; i++) sums[i]! += output[row + i]!;
  }
  const mean = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) mean[i] = sums[i]! / tokens;
  return normalize(mean);
}
