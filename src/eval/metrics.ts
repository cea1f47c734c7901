/** Metrics of a ranked list, all from 0 to 1. Higher is better, except for `zero_hit`. */
export interface QueryMetrics {
  readonly 'ndcg@10': number;
  readonly mrr: number;
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'hit@1': number;
  /** 1 when none of the first ten results is relevant. */
  readonly zero_hit: number;
}

export const METRIC_NAMES = ['ndcg@10', 'mrr', 'recall@5', 'recall@10', 'hit@1', 'zero_hit'] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

/** The relevance of each relevant document. Others are not relevant. */
export type Judgments = ReadonlyMap<string, number>;

/** Exponential gain, logarithmic discount: Burges et al. 2005, as in most published tool retrieval. */
const gain = (relevance: number) => 2 ** relevance - 1;
const discount = (rank: number) => 1 / Math.log2(rank + 1);

/** Normalized discounted cumulative gain of the first `k`. A query without relevant documents counts 1. */
export function ndcg(ranked: readonly string[], relevant: Judgments, k = 10): number {
  const ideal = [...relevant.values()]
    .filter((relevance) => relevance > 0)
    .sort((a, b) => b - a)
    .slice(0, k)
    .reduce((total, relevance, i) => total + gain(relevance) * discount(i + 1), 0);
  if (ideal === 0) return 1;
  const found = ranked.slice(0, k).reduce((total, id, i) => total + gain(relevant.get(id) ?? 0) * discount(i + 1), 0);
  return found / ideal;
}

function recall(ranked: readonly string[], relevant: ReadonlySet<string>, k: number): number {
  if (relevant.size === 0) return 1;
  return ranked.slice(0, k).filter((id) => relevant.has(id)).length / relevant.size;
}

export function queryMetrics(ranked: readonly string[], judgments: Judgments): QueryMetrics {
  const relevant = new Set([...judgments].filter(([, relevance]) => relevance > 0).map(([id]) => id));
  const first = ranked.findIndex((id) => relevant.has(id));
  return {
    'ndcg@10': ndcg(ranked, judgments),
    mrr: first < 0 ? 0 : 1 / (first + 1),
    'recall@5': recall(ranked, relevant, 5),
    'recall@10': recall(ranked, relevant, 10),
    'hit@1': first === 0 ? 1 : 0,
    zero_hit: first < 0 || first >= 10 ? 1 : 0,
  };
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((total, value) => total + value, 0) / values.length;
}
