import { z } from 'zod';
import { PEER_STATES } from '../../model/answer/result.ts';
import { ENTITY_TYPES, type Entity, type EntityOf, entitySchema } from '../../model/entity.ts';
import { healthStatus } from '../../model/entity-types/fields.ts';

/** The answers of a registry, other than search. Each schema gives the type and the API documentation. */

/** Answers are read-only. An entity keeps its own type. */
type Answer<T> = T extends Entity ? T : T extends object ? { readonly [K in keyof T]: Answer<T[K]> } : T;
type AnswerOf<S extends z.ZodType> = Answer<z.output<S>>;

const count = z.int().min(0);
export const warnings = z.array(z.string()).describe('What was accepted but not used, or refers to nothing.');
export const timestamp = z.string().meta({ format: 'date-time' });

const etag = z.string().describe('The tag of this state of the entity, for a conditional write.');

export const putResultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  created: z.boolean(),
  etag,
  pending_vectors: count.describe('How many parts of the entity have no vector yet.'),
  warnings,
});
/** What became of an entity to store. */
export type PutResult = AnswerOf<typeof putResultSchema>;

export const batchResultSchema = z.object({ created: count, updated: count, pending_vectors: count, warnings });
/** What became of the entities of a batch. */
export type BatchResult = AnswerOf<typeof batchResultSchema>;

export const entityRecordSchema = z.object({ entity: entitySchema, created_at: timestamp, updated_at: timestamp });
/** A stored entity with the times of its first and its last write. */
export type EntityRecord = AnswerOf<typeof entityRecordSchema>;

export const REVIEW_DECISIONS = ['approved', 'blocked'] as const;
export const reviewSchema = z.object({
  decision: z.enum(REVIEW_DECISIONS),
  by: z.string(),
  at: timestamp,
  reason: z.string().exactOptional(),
});
/** What an admin decided about an entity. */
export type Review = AnswerOf<typeof reviewSchema>;

export const reviewRequestSchema = z.strictObject({
  decision: z.enum(REVIEW_DECISIONS, `must be one of ${REVIEW_DECISIONS.join(', ')}`),
  reason: z.string().trim().max(500, 'must have at most 500 characters').optional(),
});
export type ReviewRequest = z.input<typeof reviewRequestSchema>;

export const reviewResultSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  review: reviewSchema,
});
export type ReviewResult = AnswerOf<typeof reviewResultSchema>;

export const taggedRecordSchema = entityRecordSchema.extend({
  etag,
  warnings: z
    .array(z.string())
    .describe('Texts that read like instructions to a model, and definitions that changed since they were accepted.'),
  denied_tools: z
    .array(z.string())
    .exactOptional()
    .describe('Its tools that the operator denies: searches and lists leave them out, and nobody may call them.'),
  review: reviewSchema.exactOptional().describe('Whether an admin has approved or blocked it, who and when.'),
});
export type TaggedRecord = AnswerOf<typeof taggedRecordSchema>;

export const entityPageSchema = z.object({
  entities: z.array(entityRecordSchema).describe('Sorted by type and path.'),
  total_count: count.describe('How many entities match, on all pages.'),
  cursor: z.string().exactOptional().describe('The cursor of the next page. Absent on the last page.'),
});
/** A page of entities. */
export type EntityPage = AnswerOf<typeof entityPageSchema>;

/** One version of a server. */
export interface ServerVersion {
  readonly version: string;
  /** The version that search finds. */
  readonly is_default: boolean;
  readonly entity: EntityOf<'mcp_server'>;
  readonly added_at: string;
}

export const pageFacts = {
  total_count: z.int().describe('The number on all pages.'),
  limit: z.int(),
  offset: z.int(),
  has_next: z.boolean(),
};

const ratings = {
  num_stars: z.number().describe('The mean rating. 0 without ratings.'),
  rating_details: z.array(z.object({ user: z.string(), rating: z.int() })).describe('The last hundred, oldest first.'),
};

/** An entity with its ratings and its health. */
const ratedRecordSchema = entityRecordSchema.extend({
  ...ratings,
  health_status: healthStatus,
  health_error: z.string().nullable().describe('Why it did not answer, or why it was not asked.'),
  last_checked_at: timestamp.nullable().describe('The time of the last check.'),
});
/** A stored entity with its rating, and whether it answers. */
export type RatedRecord = AnswerOf<typeof ratedRecordSchema>;

export const listPageSchema = z.object({
  records: z.array(ratedRecordSchema).describe('Sorted by name.'),
  ...pageFacts,
});
/** A page of a list of entities. */
export type ListPage = AnswerOf<typeof listPageSchema>;

export const tagCountSchema = z.object({ tag: z.string(), count });
/** A tag, and how many entities have it. */
export type TagCount = AnswerOf<typeof tagCountSchema>;

export const scoredSchema = entityRecordSchema.extend({ relevance_score: z.number().min(0).max(1) });
/** A stored entity with its score for a query. */
export type Scored = AnswerOf<typeof scoredSchema>;

export const ratingSchema = z.object(ratings);
/** The mean rating of an entity, and how many gave one. */
export type Rating = AnswerOf<typeof ratingSchema>;

const similar = {
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  owner: z.string().nullable(),
  created_at: timestamp,
};
/** `reasons` are the equal fields. */
const collisionSchema = z.object({ ...similar, reasons: z.array(z.enum(['path', 'url', 'name'])) });
/** A registered entity with the same path, address or name. */
export type Collision = AnswerOf<typeof collisionSchema>;
/** `similarity_score` is the raw cosine, comparable between queries. */
const advisoryMatchSchema = z.object({ ...similar, similarity_score: z.number() });
/** A registered entity that says nearly the same, with the cosine of both. */
export type AdvisoryMatch = AnswerOf<typeof advisoryMatchSchema>;

/** Collisions are sorted by path, advisory matches nearest first, with a cosine of at least `threshold`. */
export const duplicateReportSchema = z.object({
  has_collision: z.boolean(),
  collision_with: z.array(collisionSchema),
  advisory_matches: z.array(advisoryMatchSchema),
  threshold: z.number(),
  similarity_search_available: z.boolean(),
});
/** What is registered already under the same path, address or name, and what says nearly the same. */
export type DuplicateReport = AnswerOf<typeof duplicateReportSchema>;

const entityUnitsSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  units: z.array(z.string()).describe('Keys of units: `card`, `tool:NAME`, `section:N`.'),
});
/** An entity with the keys of some of its units: the texts that are searched. */
export type EntityUnits = AnswerOf<typeof entityUnitsSchema>;

/** `total` and `total_entities` count everything, also what is not listed. */
const unitTotals = {
  total: count.describe('How many units, on the list or not.'),
  total_entities: count.describe('How many entities have such a unit, on the list or not.'),
};

/** `embedder` is null without an embedder. */
export const missingVectorsSchema = z.object({
  embedder: z.string().nullable(),
  ...unitTotals,
  entities: z.array(entityUnitsSchema),
});
/** Units that wait for a vector. */
export type MissingVectors = AnswerOf<typeof missingVectorsSchema>;

export const staleVectorsSchema = z.object({
  ...unitTotals,
  entities: z.array(entityUnitsSchema.extend({ embedder: z.string() })),
});
/** Vectors of a model that is no longer used. */
export type StaleVectors = AnswerOf<typeof staleVectorsSchema>;

const notFound = z.array(z.string()).describe('Paths without an entity.');

export const cleanUpSchema = z.object({ removed: count, not_found: notFound });
/** How many vectors were removed. */
export type CleanUp = AnswerOf<typeof cleanUpSchema>;

export const reindexSchema = z.object({
  entities: count,
  vectors: count.describe('How many vectors were computed.'),
  not_found: notFound,
});
/** How many entities and vectors were embedded again. */
export type Reindex = AnswerOf<typeof reindexSchema>;

const reindexProgressSchema = z.object({
  done: count,
  total: count,
  failed: z.object({ code: z.string(), message: z.string() }).exactOptional(),
});
export type ReindexProgress = AnswerOf<typeof reindexProgressSchema>;

export const healthSchema = z.object({
  status: z
    .enum(['healthy', 'degraded'])
    .describe('`degraded`: searches work, but with limits, such as keywords only.'),
  version: z.string(),
  store: z.object({
    engine: z.string(),
    path: z.string().nullable(),
    bytes: z.number().nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), hint: z.string().exactOptional() })
      .exactOptional()
      .describe(
        'What keeps the store from taking writes: a damaged part, or a full disk. For those who read everything.',
      ),
  }),
  index: z.object({
    entities: count,
    units: count,
    vectors: count,
    missing_vectors: count,
    stale_vectors: count.describe('Vectors of models that are neither in use nor being built.'),
    unloaded_vectors: count
      .exactOptional()
      .describe(
        'Stored vectors that do not fit in memory, or that the vector server does not have yet. Their units are found by keyword.',
      ),
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
    reindexing: reindexProgressSchema
      .exactOptional()
      .describe('While everything is re-embedded: entities done, of all. `failed`: why the last run ended early.'),
  }),
  replica: z
    .object({
      ready: z
        .boolean()
        .describe('It has read everything once, and the record confirmed so within `replica_max_behind`.'),
      revision: count.exactOptional().describe('The last write that this node has. For those who read everything.'),
      head: count.exactOptional().describe('The last write of the shared record, as far as this node knows.'),
      behind_ms: count.describe('How long ago the shared record confirmed that this node has every write.'),
      error: z
        .object({ code: z.string(), message: z.string(), hint: z.string().exactOptional() })
        .exactOptional()
        .describe('Why the shared record cannot be used. Searches go on, writes fail.'),
    })
    .exactOptional()
    .describe('How this node follows the shared record. Absent without the setting `store`.'),
  vector_server: z
    .object({
      state: z.enum(['connecting', 'ready', 'down']),
      pending: count.exactOptional().describe('Vectors that the server does not have yet.'),
      error: z
        .object({ code: z.string(), message: z.string(), hint: z.string().exactOptional() })
        .exactOptional()
        .describe('Why the server cannot be used. Searches are by keyword only.'),
    })
    .exactOptional()
    .describe('The server that searches the vectors. Absent without the setting `vectors`.'),
  peers: z
    .array(
      z.object({
        name: z.string(),
        url: z.string(),
        kind: z.string(),
        state: z
          .enum([...PEER_STATES, 'unknown'])
          .describe('How the last search fared. `unknown`: not asked since the start.'),
        error: z.string().exactOptional().describe('Why it did not answer. For those who read everything.'),
      }),
    )
    .exactOptional()
    .describe('The peers that the caller may have asked. Absent without any.'),
  server: z
    .object({
      requests: z.object({
        running: count,
        waiting: count,
        refused: count.describe('Since the start, because the server was busy.'),
      }),
      mcp_requests: count.describe('Requests of MCP clients, since the start.'),
      body_bytes: count.exactOptional().describe('The memory of all request bodies. For admins.'),
      event_loop_delay_ms: z
        .object({ p50: z.number(), p99: z.number(), max: z.number() })
        .describe('How long the process kept everything waiting, in the last minute.'),
    })
    .exactOptional()
    .describe('The load of the server. Absent in the library.'),
});
/** The state of a registry: counts, the model, and what does not work. */
export type Health = AnswerOf<typeof healthSchema>;
