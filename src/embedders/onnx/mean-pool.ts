import { normalize } from '../normalize.ts';

/** The mean of the unmasked token vectors (rows of `dimensions` numbers), scaled to length 1. */
export function meanPool(hidden: Float32Array, mask: ArrayLike<number | bigint>, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  let counted = 0;
  for (let token = 0; token < mask.length; token++) {
    if (Number(mask[token]) === 0) continue;
    counted++;
    const row = token * dimensions;
    for (let i = 0; i < dimensions; i++) sums[i]! += hidden[row + i]!;
  }
  const mean = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) mean[i] = sums[i]! / Math.max(counted, 1);
  return normalize(mean);
}
