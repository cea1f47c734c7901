import { type PairedTest, pairedTest } from './statistics.ts';

/** A question of a labeled set, and how well a ranking answered it: nDCG@10. */
export interface ScoredQuestion {
  readonly id: string;
  readonly query: string;
  readonly score: number;
}

export interface Loss {
  readonly query_id: string;
  readonly query: string;
  readonly before: number;
  readonly after: number;
}

export interface RunComparison extends PairedTest {
  /** Questions of both runs. */
  readonly queries: number;
  readonly better: number;
  readonly worse: number;
  /** The questions that got worse, the largest loss first. */
  readonly losses: readonly Loss[];
}

/** Compares one ranking in two runs, over the questions that both asked: those with the same id and text. */
export function compareRuns(before: readonly ScoredQuestion[], after: readonly ScoredQuestion[]): RunComparison {
  const scores = new Map(after.map(({ id, query, score }) => [keyOf(id, query), score]));
  const shared = before.flatMap(({ id, query, score }): Loss[] => {
    const now = scores.get(keyOf(id, query));
    return now === undefined ? [] : [{ query_id: id, query, before: score, after: now }];
  });
  const losses = shared.filter((one) => one.after < one.before);
  return {
    queries: shared.length,
    ...pairedTest(
      shared.map((one) => one.before),
      shared.map((one) => one.after),
    ),
    better: shared.filter((one) => one.after > one.before).length,
    worse: losses.length,
    losses: losses.sort((a, b) => a.after - a.before - (b.after - b.before)),
  };
}

const keyOf = (id: string, query: string): string => JSON.stringify([id, query]);
