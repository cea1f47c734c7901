/** Cormack, Clarke and Buettcher 2009; also the registry's documents. */
export const RRF_K = 60;

/** What a list gives to what it holds at a rank, from 1. The one place where this is worked out. */
export function reciprocalRank(rank: number, k: number, weight: number): number {
  return weight / (k + rank);
}

export interface RrfOptions {
  /** The larger, the less the first ranks stand out. Default 60. */
  readonly k?: number;
  /** One for each list; default 1 each. */
  readonly weights?: readonly number[];
}

export interface FusedId {
  readonly id: string;
  readonly score: number;
  /** The rank in each list, from 1; null where the list does not have the id. */
  readonly ranks: readonly (number | null)[];
}

/**
 * Reciprocal rank fusion: each list gives `weight / (k + rank)` to what it holds, and nothing to what it does not.
 * Best first; equal scores keep the order in which the ids were first met, so the first list wins ties.
 * An id that a list repeats counts where it stands first.
 */
export function rrf(lists: readonly (readonly string[])[], options: RrfOptions = {}): readonly FusedId[] {
  const { k = RRF_K, weights = [] } = options;
  const fused = new Map<string, { id: string; score: number; ranks: (number | null)[] }>();
  lists.forEach((list, at) => {
    const weight = weights[at] ?? 1;
    let rank = 0;
    for (const id of list) {
      let entry = fused.get(id);
      if (entry === undefined) {
        entry = { id, score: 0, ranks: lists.map(() => null) };
        fused.set(id, entry);
      }
      if (entry.ranks[at] !== null) continue;
      rank += 1;
      entry.ranks[at] = rank;
      entry.score += reciprocalRank(rank, k, weight);
    }
  });
  return [...fused.values()].sort((a, b) => b.score - a.score);
}
