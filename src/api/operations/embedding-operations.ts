import { z } from 'zod';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { MAX_LISTED, MAX_PATHS } from '../../registry/vectors/maintenance.ts';
import type { Operation } from '../contract.ts';
import { EMBEDDING_ROUTES } from './operation-routes.ts';

const count = z.int().min(0);

const listQuery = z.object({
  limit: z.coerce
    .number('must be a whole number')
    .int('must be a whole number')
    .min(1, `must be from 1 to ${MAX_LISTED}`)
    .max(MAX_LISTED, `must be from 1 to ${MAX_LISTED}`)
    .default(100)
    .describe('How many units to list. `total` counts all of them.'),
});

const entityUnits = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  units: z.array(z.string()).describe('Keys of units: `card`, `tool:NAME`, `section:N`.'),
});

const targetSchema = z
  .strictObject({
    paths: z
      .array(z.string('must be a path').min(1, 'must not be empty'), 'must be a list of paths')
      .min(1, 'must have at least one path')
      .max(MAX_PATHS, `must have at most ${MAX_PATHS} paths`)
      .exactOptional()
      .describe('Paths, of whatever type, or ids like `mcp_server:/fetch`.'),
    all: z.literal(true, 'must be true or left out').exactOptional().describe('Everything there is.'),
  })
  .refine(({ paths, all }) => (paths === undefined) !== (all === undefined), 'must have either paths or all');
export type MaintenanceBody = z.output<typeof targetSchema>;

const notFound = z.array(z.string()).describe('Paths that nothing is registered at.');

const reindexSchema = z.object({
  entities: count,
  vectors: count.describe('Vectors that were computed anew.'),
  not_found: notFound,
});

export const embeddingOperations = {
  missingVectors: {
    ...EMBEDDING_ROUTES.missingVectors,
    tag: 'admin',
    summary: 'List units that wait for a vector',
    description: 'An empty or damaged vector counts as missing. The background queue embeds what is listed here.',
    query: listQuery,
    responses: { 200: z.object({ embedder: z.string().nullable(), total: count, entities: z.array(entityUnits) }) },
    errors: [],
  },
  staleVectors: {
    ...EMBEDDING_ROUTES.staleVectors,
    tag: 'admin',
    summary: 'List vectors that no search uses',
    description:
      'Vectors of embedding models that are neither served nor being built. The vector of a text that has changed is deleted with the change and never listed here.',
    query: listQuery,
    responses: { 200: z.object({ total: count, entities: z.array(entityUnits.extend({ embedder: z.string() })) }) },
    errors: [],
  },
  cleanUpStaleVectors: {
    ...EMBEDDING_ROUTES.cleanUpStaleVectors,
    tag: 'admin',
    summary: 'Delete stale vectors',
    body: targetSchema,
    responses: { 200: z.object({ removed: count, not_found: notFound }) },
    errors: ['STORE_FULL'],
  },
  reindex: {
    ...EMBEDDING_ROUTES.reindex,
    tag: 'admin',
    summary: 'Compute vectors anew',
    description:
      'Past every cache, with the model that the settings name; what is there answers until then. For `paths` the answer comes when it is done, for `all` at once: `embedder.reindexing` of the health report says how far it is.',
    body: targetSchema,
    responses: { 200: reindexSchema, 202: z.object({ started: z.literal(true) }) },
    errors: ['EMBEDDER_UNAVAILABLE', 'EMBEDDER_REJECTED', 'STORE_FULL'],
  },
} as const satisfies Record<keyof typeof EMBEDDING_ROUTES, Operation>;
