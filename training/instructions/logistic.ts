// A logistic head: the direction in a vector space that tells two kinds of texts apart.

export interface Head {
  readonly weights: Float64Array;
  readonly bias: number;
}

export interface Labeled {
  readonly vector: Float32Array;
  readonly isPositive: boolean;
  readonly weight: number;
}

const NEWTON_STEPS = 7;
/** Keeps the matrix of a step definite. */
const RIDGE = 1e-6;

export function scoreOf({ weights, bias }: Head, vector: Float32Array): number {
  let sum = bias;
  for (let at = 0; at < weights.length; at++) sum += weights[at]! * vector[at]!;
  return sum;
}

/** By Newton's method, with `penalty` times half the squared length of the weights. The bias has no penalty. */
export function fitHead(samples: readonly Labeled[], dimensions: number, penalty: number, from?: Head): Head {
  const size = dimensions + 1;
  const found = new Float64Array(size);
  if (from !== undefined) {
    found.set(from.weights);
    found[dimensions] = from.bias;
  }
  for (let step = 0; step < (from === undefined ? NEWTON_STEPS : Math.ceil(NEWTON_STEPS / 2)); step++) {
    const gradient = new Float64Array(size);
    const matrix = new Float64Array(size * size);
    const row = new Float64Array(size);
    for (const { vector, isPositive, weight } of samples) {
      row.set(vector);
      row[dimensions] = 1;
      let sum = 0;
      for (let at = 0; at < size; at++) sum += found[at]! * row[at]!;
      const chance = 1 / (1 + Math.exp(-sum));
      const off = weight * (chance - (isPositive ? 1 : 0));
      const curve = weight * chance * (1 - chance);
      for (let at = 0; at < size; at++) {
        gradient[at] = gradient[at]! + off * row[at]!;
        const scaled = curve * row[at]!;
        const base = at * size;
        for (let to = 0; to <= at; to++) matrix[base + to] = matrix[base + to]! + scaled * row[to]!;
      }
    }
    for (let at = 0; at < size; at++) {
      const own = at < dimensions ? penalty : 0;
      gradient[at] = gradient[at]! + own * found[at]!;
      matrix[at * size + at] = matrix[at * size + at]! + own + RIDGE;
    }
    const change = solve(matrix, gradient);
    for (let at = 0; at < size; at++) found[at] = found[at]! - change[at]!;
  }
  return { weights: found.slice(0, dimensions), bias: found[dimensions]! };
}

/** Solves `matrix * x = right` for a positive definite matrix, of which the lower half is given. Overwrites it (Cholesky). */
function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column]!;
      for (let at = 0; at < column; at++) sum -= matrix[row * size + at]! * matrix[column * size + at]!;
      matrix[row * size + column] = row === column ? Math.sqrt(sum) : sum / matrix[column * size + column]!;
    }
  }
  const found = Float64Array.from(right);
  for (let row = 0; row < size; row++) {
    for (let at = 0; at < row; at++) found[row] = found[row]! - matrix[row * size + at]! * found[at]!;
    found[row] = found[row]! / matrix[row * size + row]!;
  }
  for (let row = size - 1; row >= 0; row--) {
    for (let at = row + 1; at < size; at++) found[row] = found[row]! - matrix[at * size + row]! * found[at]!;
    found[row] = found[row]! / matrix[row * size + row]!;
  }
  return found;
}
