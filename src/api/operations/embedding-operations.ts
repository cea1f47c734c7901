import { z } from 'zod';
import {
  cleanUpSchema,
  missingVectorsSchema,
  reindexSchema,
  staleVectorsSchema,
} from '../../registry/contract/answers.ts';
import { MAX_LISTED, targetSchema } from '../../registry/contract/maintenance.ts';
import { cleanUpKeys, missingKeys, reindexKeys, staleKeys } from '../../standards/gateway/embedding-report.ts';
import type { OperationDetails } from '../routes/operation.ts';
import { countText } from './wire-fields.ts';

const listQuery = z.strictObject({
  limit: countText(1, MAX_LISTED, 100).describe('How many units to list. `total` counts all.'),
});

export const embeddingOperations = {
  missingVectors: {
    summary: 'List units without a vector',
    description: 'An empty or damaged vector counts as missing. The background queue embeds these units.',
    query: listQuery,
    responses: { 200: missingVectorsSchema.extend(missingKeys) },
  },
  staleVectors: {
    summary: 'List vectors that no search uses',
    description:
      'Vectors of embedding models that are neither in use nor being built. The vector of a changed text is deleted at once and not listed here.',
    query: listQuery,
    responses: { 200: staleVectorsSchema.extend(staleKeys) },
  },
  cleanUpStaleVectors: {
    summary: 'Delete stale vectors',
    body: targetSchema,
    raw: true,
    responses: { 200: cleanUpSchema.extend(cleanUpKeys) },
    errors: ['STORE_FULL'],
  },
  reindex: {
    summary: 'Re-embed entities',
    description:
      'Bypasses every cache and uses the model of the settings. Old vectors are used until the new ones are ready. With `paths`, the answer comes when it is done. With `all`, it comes at once; `embedder.reindexing` of the health report shows the progress.',
    body: targetSchema,
    raw: true,
    responses: { 200: reindexSchema.extend(reindexKeys), 202: z.object({ started: z.literal(true) }) },
    errors: ['EMBEDDER_UNAVAILABLE', 'EMBEDDER_REJECTED', 'STORE_FULL'],
  },
} as const satisfies Record<string, OperationDetails>;
