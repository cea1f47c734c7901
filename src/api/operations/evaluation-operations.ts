import { z } from 'zod';
import type { OperationDetails } from '../routes/operation.ts';

const share = z.number().min(0).max(1);

const measuredPresetSchema = z.object({
  preset: z.string(),
  queries: z.int(),
  'ndcg@10': share,
  mrr: share,
  'recall@5': share,
  'recall@10': share,
  'hit@1': share,
  zero_hit: share.describe('Queries without a relevant result among the first ten.'),
  interval: z.array(z.number()).length(2).describe('95% bootstrap interval of nDCG@10.'),
});

/** The figures of the last `dowser eval`, as its file in the data folder has them. */
export const evaluationSchema = z.object({
  measured_at: z.string().nullable().describe('Null: nothing was measured yet.'),
  sets: z.array(z.object({ set: z.string(), documents: z.int(), results: z.array(measuredPresetSchema) })),
});
export type Evaluation = z.output<typeof evaluationSchema>;

export const evaluationOperations = {
  getEvaluation: {
    summary: 'Read the figures of the last `dowser eval`',
    responses: { 200: evaluationSchema },
  },
} as const satisfies Record<string, OperationDetails>;
