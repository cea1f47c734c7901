import type { BenchQuery, Corpus } from './corpus.ts';
import { liveRows, scanVectors } from './scan-vectors.ts';
import { DIMENSIONS } from './vector-space.ts';

export interface ExactNeighbors {
  /** For each query, the ids of its nearest units that may be found, by cosine, nearest first. */
  readonly ids: readonly (readonly string[])[];
  /** The cosine that `candidates` of them reach, the median over the queries. */
  readonly candidateCosine: number;
}

export interface NeighborCounts {
  readonly nearest: number;
  readonly candidates: number;
}

/** What recall is measured against. */
export function exactNeighbors(
  corpus: Corpus,
  queries: readonly BenchQuery[],
  { nearest, candidates }: NeighborCounts,
): ExactNeighbors {
  const { units, vectors } = corpus;
  const live = liveRows(units);
  const cosines: number[] = [];
  const ids = queries.map(({ vector }) => {
    const rows = scanVectors(vectors, live, vector, candidates);
    const last = rows.at(-1)! * DIMENSIONS;
    cosines.push(vector.reduce((sum, x, i) => sum + x * vectors[last + i]!, 0));
    return rows.slice(0, nearest).map((row) => units[row]!.id);
  });
  cosines.sort((a, b) => a - b);
  return { ids, candidateCosine: cosines[cosines.length >> 1] ?? 0 };
}

/** The share of the exact neighbors that stand among as many first ids of what was found, over all queries. */
export function recallOf(found: readonly (readonly string[])[], exact: readonly (readonly string[])[]): number {
  let hits = 0;
  let wanted = 0;
  exact.forEach((ids, at) => {
    const have = new Set(found[at]?.slice(0, ids.length) ?? []);
    wanted += ids.length;
    for (const id of ids) if (have.has(id)) hits += 1;
  });
  return wanted === 0 ? 1 : hits / wanted;
}
