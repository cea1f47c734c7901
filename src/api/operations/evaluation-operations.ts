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

const measuredAt = z.string().describe('When it was measured. It names the run.');
const setFields = { set: z.string(), documents: z.int() };

/** The figures of the last `dowser eval`, as its file in the data folder has them. */
export const evaluationSchema = z.object({
  measured_at: z.string().nullable().describe('Null: nothing was measured yet.'),
  sets: z.array(z.object({ ...setFields, results: z.array(measuredPresetSchema) })),
});
export type Evaluation = z.output<typeof evaluationSchema>;

/** A run of `dowser eval` as it is kept, with its questions and the nDCG@10 of each. */
export const keptRunSchema = z.object({
  measured_at: measuredAt,
  sets: z.array(
    z.object({
      ...setFields,
      questions: z.array(z.object({ id: z.string(), query: z.string() })),
      /** `scores` has a value for each of the questions, in their order. Empty where too many were asked to keep them. */
      results: z.array(measuredPresetSchema.extend({ scores: z.array(share) })),
    }),
  ),
});
export type KeptRun = z.output<typeof keptRunSchema>;

export const keptRunsSchema = z.object({ runs: z.array(keptRunSchema) });

const evaluationRunsSchema = z.object({
  runs: z
    .array(
      z.object({
        measured_at: measuredAt,
        sets: z.array(z.object({ ...setFields, results: z.array(measuredPresetSchema) })),
      }),
    )
    .describe('The last runs, oldest first.'),
});

const MAX_CHANGES = 1000;
const LIMIT = `must be a whole number from 1 to ${MAX_CHANGES}`;
const name = z.string().max(1024);

const evaluationChangesSchema = z.object({
  set: z.string(),
  preset: z.string(),
  before: measuredAt,
  after: measuredAt,
  queries: z.int().describe('Questions of both runs.'),
  difference: z.number().describe('The mean change of nDCG@10, from `before` to `after`.'),
  p: share.describe('p-value of a two-sided sign-flip test.'),
  better: z.int(),
  worse: z.int(),
  losses: z
    .array(z.object({ query_id: z.string(), query: z.string(), before: share, after: share }))
    .describe('The questions that got worse, the largest loss first.'),
});

export const evaluationOperations = {
  getEvaluation: {
    summary: 'Read the figures of the last `dowser eval`',
    responses: { 200: evaluationSchema },
  },
  listEvaluations: {
    summary: 'List the figures of the last runs of `dowser eval`',
    responses: { 200: evaluationRunsSchema },
  },
  compareEvaluations: {
    summary: 'Compare two runs of `dowser eval`, and list the questions that got worse',
    query: z.strictObject({
      set: name,
      preset: name,
      before: name.describe('The `measured_at` of a run.'),
      after: name.describe('The `measured_at` of a run.'),
      limit: z.coerce
        .number(LIMIT)
        .int(LIMIT)
        .min(1, LIMIT)
        .max(MAX_CHANGES, LIMIT)
        .default(100)
        .describe('How many questions.'),
    }),
    responses: { 200: evaluationChangesSchema },
  },
} as const satisfies Record<string, OperationDetails>;
