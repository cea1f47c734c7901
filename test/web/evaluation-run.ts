/** A run of `dowser eval` on a day of January 2026, with the nDCG@10 of each question. */
export function evaluationRun(day: number, scored: Readonly<Record<string, number>>, set = 'dev') {
  const queries = Object.keys(scored);
  const scores = Object.values(scored);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const result = (preset: string) => ({
    preset,
    queries: queries.length,
    'ndcg@10': mean,
    mrr: mean,
    'recall@5': mean,
    'recall@10': mean,
    'hit@1': 0.25,
    zero_hit: 0.1,
    interval: [mean / 2, (1 + mean) / 2],
    scores,
  });
  return {
    measured_at: new Date(Date.UTC(2026, 0, day)).toISOString(),
    sets: [
      {
        set,
        documents: 9,
        questions: queries.map((query) => ({ id: query, query })),
        results: [result('hybrid'), result('keyword')],
      },
    ],
  };
}
