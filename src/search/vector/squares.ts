import { DowserError } from '../../model/errors/errors.ts';

/** The sum of the squares of a vector. Throws if its size is wrong or a number is not finite. */
export function squaresOf(vector: Float32Array, dimensions: number): number {
  if (vector.length !== dimensions) {
    throw new DowserError(
      'WRONG_DIMENSIONS',
      `The vector has ${vector.length} numbers; this index holds vectors of ${dimensions}.`,
      { hint: 'Embed with the model the index was built with, or rebuild the index.' },
    );
  }
  let squares = 0;
  for (let i = 0; i < vector.length; i++) squares += vector[i]! * vector[i]!;
  // The squares of 4096 f32 cannot overflow an f64, so the sum is finite unless a number is not.
  if (Number.isFinite(squares)) return squares;
  const at = vector.findIndex((value) => !Number.isFinite(value));
  throw new DowserError('INVALID_REQUEST', `Number ${at} of the vector is ${vector[at]}.`, {
    hint: 'Every number of a vector must be finite.',
    field: `vector.${at}`,
  });
}
