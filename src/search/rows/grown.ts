export type Numbers = Uint32Array | Uint8Array;

/** A larger copy. At least doubles the size, so that growing in small steps stays cheap. */
export function grown<A extends Numbers>(array: A, atLeast: number): A {
  return resized(array, Math.max(atLeast, 2 * array.length, 16));
}

export function resized<A extends Numbers>(array: A, size: number): A {
  const copy = arrayLike(array, size);
  copy.set(array);
  return copy;
}

export function arrayLike<A extends Numbers>(array: A, size: number): A {
  return (array instanceof Uint8Array ? new Uint8Array(size) : new Uint32Array(size)) as A;
}
