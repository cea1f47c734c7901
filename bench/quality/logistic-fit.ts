/** One case of a logistic model. */
export interface Observation {
  readonly facts: readonly number[];
  readonly isTrue: boolean;
  /** How often it counts. */
  readonly weight: number;
  /** A part of the sum that is not fitted. */
  readonly offset: number;
  /** The estimate is multiplied by this, from 0 to 1. */
  readonly factor: number;
}

/** The base and the weight of each fact. */
export type LogisticWeights = readonly number[];

const MAX_STEPS = 50;
const MAX_HALVINGS = 20;
/** A step that gains less likelihood is the last. */
const MIN_GAIN = 1e-9;
/** Keeps facts that never differ solvable. */
const RIDGE = 1e-9;
/** Estimates of 0 and 1 would have no likelihood. */
const MIN_CHANCE = 1e-9;

export function logisticEstimate(weights: LogisticWeights, facts: readonly number[], offset = 0): number {
  let sum = weights[0]! + offset;
  for (let i = 0; i < facts.length; i++) sum += weights[i + 1]! * facts[i]!;
  return 1 / (1 + Math.exp(-sum));
}

/** The weights with the highest likelihood, by Fisher scoring. */
export function fitLogistic(observations: readonly Observation[]): LogisticWeights {
  const size = 1 + (observations[0]?.facts.length ?? 0);
  let weights: LogisticWeights = new Array<number>(size).fill(0);
  let likelihood = likelihoodOf(weights, observations);
  for (let step = 0; step < MAX_STEPS; step++) {
    const change = solve(...scoring(weights, observations));
    let next = weights;
    let best = likelihood;
    for (let half = 1, tries = 0; tries < MAX_HALVINGS && best <= likelihood; half /= 2, tries++) {
      next = weights.map((weight, i) => weight + half * change[i]!);
      best = likelihoodOf(next, observations);
    }
    if (!(best > likelihood + MIN_GAIN)) return weights;
    weights = next;
    likelihood = best;
  }
  return weights;
}

function chanceOf(weights: LogisticWeights, { facts, offset, factor }: Observation): number {
  const chance = factor * logisticEstimate(weights, facts, offset);
  return Math.min(1 - MIN_CHANCE, Math.max(MIN_CHANCE, chance));
}

/** The mean logarithm of the likelihood. */
function likelihoodOf(weights: LogisticWeights, observations: readonly Observation[]): number {
  let sum = 0;
  let count = 0;
  for (const one of observations) {
    const chance = chanceOf(weights, one);
    sum += one.weight * Math.log(one.isTrue ? chance : 1 - chance);
    count += one.weight;
  }
  return sum / count;
}

/** The expected information and the gradient of the likelihood. */
function scoring(weights: LogisticWeights, observations: readonly Observation[]): [number[][], number[]] {
  const information = weights.map((_, i) => weights.map((__, j) => (i === j ? RIDGE : 0)));
  const gradient = weights.map(() => 0);
  for (const one of observations) {
    const chance = chanceOf(weights, one);
    const slope = chance * (1 - chance / one.factor);
    const perChance = one.weight / (chance * (1 - chance));
    const surprise = ((one.isTrue ? 1 : 0) - chance) * slope * perChance;
    const precision = slope * slope * perChance;
    const values = [1, ...one.facts];
    for (let i = 0; i < values.length; i++) {
      gradient[i]! += surprise * values[i]!;
      for (let j = 0; j < values.length; j++) information[i]![j]! += precision * values[i]! * values[j]!;
    }
  }
  return [information, gradient];
}

/** Solves a small symmetric system by elimination. */
function solve(matrix: number[][], right: number[]): readonly number[] {
  const size = right.length;
  for (let i = 0; i < size; i++) {
    for (let row = i + 1; row < size; row++) {
      const ratio = matrix[row]![i]! / matrix[i]![i]!;
      for (let column = i; column < size; column++) matrix[row]![column]! -= ratio * matrix[i]![column]!;
      right[row]! -= ratio * right[i]!;
    }
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let column = i + 1; column < size; column++) right[i]! -= matrix[i]![column]! * right[column]!;
    right[i]! /= matrix[i]![i]!;
  }
  return right;
}
