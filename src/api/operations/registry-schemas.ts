import { z } from 'zod';
import { ENTITY_TYPES, type EntityInput, entitySchema, STATUSES } from '../../model/entity.ts';
import { entityTypeSchema } from '../../model/query-fields.ts';
import { MAX_PAGE } from '../../registry/registry.ts';
import { commaList, countText, pageFacts, tagList, timestamp, warnings } from './wire-fields.ts';

/** The registry parses the entity, to warn about unknown fields. OpenAPI describes it as `EntityInput`. */
export const entityInputSchema = z.custom<EntityInput>();
type OptionalIdentity<E> = E extends EntityInput
  ? Omit<E, 'type' | 'path'> & { readonly type?: E['type']; readonly path?: string }
  : never;
/** `type` and `path` are optional in the body: the URL has them. */
export type EntityBody = OptionalIdentity<EntityInput>;
export const entityBodySchema = z.custom<EntityBody>();

export const entityParams = z.object({
  type: entityTypeSchema.describe('The entity type.'),
  path: z
    .string()
    .min(1, 'must not be empty')
    .describe(
      'The path of the entity, percent-encoded: the rest of the URL, with slashes. ' +
        '`//context7` and `/%2Fcontext7` both mean the path `/context7`; `//github%23issue_write` is a tool of `/github`.',
    ),
});

export const writeQuery = z.object({
  vectors: z
    .enum(['now', 'later'], 'must be now or later')
    .default('now')
    .describe('`now` waits a moment for the vectors. `later` leaves them to the background queue.'),
  lifecycle: z
    .enum(['replace', 'keep'], 'must be replace or keep')
    .default('replace')
    .describe(
      '`keep`: an entity without `status` or `is_enabled` keeps the stored value. `replace`: it gets the default.',
    ),
});

export const pageQuery = z.object({
  type: commaList
    .pipe(z.array(entityTypeSchema))
    .optional()
    .meta({ type: 'string', description: 'Only this entity type, or a comma list of types.' }),
  query: z.string().optional().describe('Text that the entity must contain. Upper and lower case are equal.'),
  tags: tagList
    .optional()
    .describe('Comma list. All tags must match; upper and lower case are equal. Write `\\\\,` for a comma in a tag.'),
  status: commaList.optional().describe(`Comma list: any of ${STATUSES.join(', ')}.`),
  cursor: z.string().optional().describe('The `cursor` of the previous page.'),
  limit: countText(1, MAX_PAGE, 100).describe(`The page size, 1 to ${MAX_PAGE}.`),
});

const count = z.int().min(0);

export const putResultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  created: z.boolean(),
  pending_vectors: count.describe('How many parts of the entity have no vector yet.'),
  warnings,
});

export const batchResultSchema = z.object({ created: count, updated: count, pending_vectors: count, warnings });

export const entityRecordSchema = z.object({ entity: entitySchema, created_at: timestamp, updated_at: timestamp });

export const entityPageSchema = z.object({
  entities: z.array(entityRecordSchema).describe('Sorted by type and path.'),
  total_count: count.describe('How many entities match, on all pages.'),
  cursor: z.string().exactOptional().describe('The cursor of the next page. Absent on the last page.'),
});

export const listPageSchema = z.object({
  records: z.array(entityRecordSchema.extend({ num_stars: z.number() })).describe('Sorted by name.'),
  ...pageFacts,
});

export const tagCountsSchema = z.object({
  tags: z.array(z.string()),
  counts: z.array(z.object({ tag: z.string(), count })).describe('How many entities have each of these tags.'),
  total_count: count.describe('How many different tags there are.'),
});

export const scoredSchema = z.object({
  results: z.array(entityRecordSchema.extend({ relevance_score: z.number().min(0).max(1) })).describe('Best first.'),
});

export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']).describe('`degraded`: searches work, but with limits, such as keywords only.'),
  version: z.string(),
  store: z.object({ engine: z.string(), path: z.string().nullable(), bytes: z.number().nullable() }),
  index: z.object({
    entities: count,
    units: count,
    vectors: count,
    missing_vectors: count,
    stale_vectors: count.describe('Vectors of models that are neither in use nor being built.'),
    unloaded_vectors: count
      .exactOptional()
      .describe('Stored vectors that do not fit in memory. Their units are found by keyword.'),
    by_type: z.partialRecord(z.enum(ENTITY_TYPES), count),
  }),
  embedder: z.object({
    id: z.string().nullable(),
    state: z.enum(['ready', 'loading', 'down', 'off']),
    error: z.string().exactOptional(),
    retry_at: z.string().exactOptional(),
    building: z
      .object({ id: z.string(), done: count, total: count, error: z.string().exactOptional() })
      .exactOptional()
      .describe('During a change of the model: the new model and the progress of its vectors.'),
    reindexing: z
      .object({
        done: count,
        total: count,
        failed: z.object({ code: z.string(), message: z.string() }).exactOptional(),
      })
      .exactOptional()
      .describe('While everything is re-embedded: entities done, of all. `failed`: why the last run ended early.'),
  }),
});
