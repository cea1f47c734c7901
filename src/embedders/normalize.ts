/** Scales a vector to length 1 in place and returns it. A vector of zeros has no direction: it stays as it is. */
export function normalize(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const x of vector) squares += x * x;
  const length = Math.sqrt(squares);
  if (length === 0) return vector;
  for (let i = 0; i < vector.length; i++) vector[i]! /= length;
  return vector;
}
