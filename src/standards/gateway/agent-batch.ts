import { z } from 'zod';
import { isJsonObject } from '../../model/json/json-object.ts';

/** The limit of the MCP gateway registry. */
export const MAX_BATCH_ITEMS = 1000;

const card = z.custom<Record<string, unknown>>(isJsonObject, 'must be a JSON object').meta({ type: 'object' });
const path = z.string('must be the path of the agent').min(1, 'must not be empty');

const itemSchema = z.discriminatedUnion(
  'op',
  [
    z.object({ op: z.literal('register'), card }),
    z.object({ op: z.literal('patch'), path, card }),
    z.object({ op: z.literal('replace'), path, card }),
    z.object({ op: z.literal('delete'), path }),
  ],
  "'op' must be register, patch, replace or delete",
);
export type BatchItem = z.output<typeof itemSchema>;

export const batchRequestSchema = z.object({
  items: z
    .array(itemSchema, 'must be a list of operations')
    .min(1, 'must have at least one operation')
    .max(MAX_BATCH_ITEMS, `must have at most ${MAX_BATCH_ITEMS} operations`),
  idempotency_key: z
    .string()
    .max(256, 'must have at most 256 characters')
    .nullish()
    .describe('A second request with the same key gets the job of the first.'),
});

export const batchSubmittedSchema = z.object({
  job_id: z.string(),
  status_url: z.string().describe('Where to read the state of the job.'),
});

const resultSchema = z.object({
  index: z.int().min(0),
  op: z.enum(['register', 'patch', 'replace', 'delete']),
  path: z.string().nullable(),
  status: z.int().describe('The HTTP status that the operation would have on its own route.'),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
export type BatchItemResult = z.output<typeof resultSchema>;

export const batchJobSchema = z.object({
  job_id: z.string(),
  state: z.enum(['queued', 'running', 'succeeded', 'partial', 'failed']),
  submitted_by: z.string(),
  total: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  next_index: z.int().describe('The first operation that has not run yet.'),
  results: z.array(resultSchema),
});
export type BatchJob = z.output<typeof batchJobSchema>;

/** The state of a job by its results so far. */
export function toBatchJob(id: string, total: number, results: readonly BatchItemResult[]): BatchJob {
  const failed = results.filter(({ status }) => status >= 400).length;
  const succeeded = results.length - failed;
  const ended = failed === 0 ? 'succeeded' : succeeded === 0 ? 'failed' : 'partial';
  const state = results.length === 0 ? 'queued' : results.length < total ? 'running' : ended;
  return {
    job_id: id,
    state,
    submitted_by: 'anonymous',
    total,
    succeeded,
    failed,
    next_index: results.length,
    results: [...results],
  };
}
