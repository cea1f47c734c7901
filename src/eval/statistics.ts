import { mean } from './metrics.ts';

/** Random numbers with a fixed seed (Mulberry32), so that the same run gives the same interval. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const ROUNDS = 1000;
const SEED = 20_260_101;

/** 95% bootstrap interval of a mean over queries. */
export function bootstrapInterval(values: readonly number[], rounds = ROUNDS): readonly [low: number, high: number] {
  const single: (readonly number[])[] = [];
  for (const value of values) single.push([value]);
  return groupedInterval(single, rounds);
}

/**
 * 95% bootstrap interval of a mean over queries that come in groups, such as those about one server. Queries of a group are alike,
 * so whole groups are resampled.
 */
export function groupedInterval(
  groups: readonly (readonly number[])[],
  rounds = ROUNDS,
): readonly [low: number, high: number] {
  const filled = groups.filter((values) => values.length > 0);
  if (filled.length === 0) return [0, 0];
  const totals = filled.map((values) => values.reduce((total, value) => total + value, 0));
  const random = seeded(SEED);
  const means = new Float64Array(rounds);
  for (let round = 0; round < rounds; round++) {
    let [total, count] = [0, 0];
    for (let i = 0; i < filled.length; i++) {
      const drawn = Math.floor(random() * filled.length);
      total += totals[drawn]!;
      count += filled[drawn]!.length;
    }
    means[round] = total / count;
  }
  means.sort();
  return [means[Math.floor(0.025 * rounds)]!, means[Math.min(rounds - 1, Math.floor(0.975 * rounds))]!];
}

export interface PairedTest {
  /** The mean difference, `b - a`. */
  readonly difference: number;
  /** p-value of a two-sided sign-flip test. */
  readonly p: number;
}

/** Compares two runs over the same queries. */
export function pairedTest(a: readonly number[], b: readonly number[], rounds = ROUNDS): PairedTest {
  const differences = a.map((value, i) => b[i]! - value);
  const difference = mean(differences);
  const moved = differences.filter((value) => value !== 0);
  if (moved.length === 0) return { difference: 0, p: 1 };
  const random = seeded(SEED);
  const observed = Math.abs(moved.reduce((total, value) => total + value, 0)) - 1e-12;
  let asLarge = 0;
  for (let round = 0; round < rounds; round++) {
    let total = 0;
    for (const value of moved) total += random() < 0.5 ? value : -value;
    if (Math.abs(total) >= observed) asLarge += 1;
  }
  return { difference, p: (asLarge + 1) / (rounds + 1) };
}
