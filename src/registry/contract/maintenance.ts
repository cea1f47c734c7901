import { z } from 'zod';
import { wholeNumber } from '../../model/query/query-fields.ts';
import type { CleanUp, MissingVectors, Reindex, StaleVectors } from './answers.ts';
import type { EmbedPendingOptions } from './registry.ts';

export type { EntityUnits } from './answers.ts';
export type { CleanUp, MissingVectors, Reindex, StaleVectors };

/** Lists missing and stale vectors, deletes stale ones and re-embeds entities. */
export interface Maintenance {
  /** Units without a vector of the served embedder, by entity. An empty vector counts as missing. */
  missingVectors(query?: VectorQuery): Promise<MissingVectors>;
  /** Vectors of embedders that are neither served nor being built, by entity. */
  staleVectors(query?: VectorQuery): Promise<StaleVectors>;
  /** Deletes stale vectors of some or all entities. */
  cleanUpStaleVectors(target: MaintenanceTarget): Promise<CleanUp>;
  /**
   * Re-embeds with the configured embedder and bypasses every cache. The old vectors are used until then. A second call
   * for everything joins the first. Throws the error of the embedder; vectors stored before it stay.
   */
  reindex(target: MaintenanceTarget, options?: ReindexOptions): Promise<Reindex>;
}

/** Paths (`/fetch`, of any type) or ids (`mcp_server:/fetch`), at most `MAX_PATHS`; or everything. */
export type MaintenanceTarget = { readonly paths: readonly string[] } | { readonly all: true };
export const MAX_PATHS = 100;

/** Either `paths` or `all`. */
export const targetSchema = z
  .strictObject({
    paths: z
      .array(z.string('must be a path').min(1, 'must not be empty'), 'must be a list of paths')
      .min(1, 'must have at least one path')
      .max(MAX_PATHS, `must have at most ${MAX_PATHS} paths`)
      .readonly()
      .exactOptional()
      .describe('Paths of any type, or ids such as `mcp_server:/fetch`.'),
    all: z.literal(true, 'must be true or absent').exactOptional().describe('Everything.'),
  })
  .refine(
    ({ paths, all }) => (paths === undefined) !== (all === undefined),
    'must have either paths or all',
  ) as z.ZodType as z.ZodType<MaintenanceTarget, MaintenanceTarget>;

export const MAX_LISTED = 1000;
export const vectorQuerySchema = z.strictObject({ limit: wholeNumber(1, MAX_LISTED).default(100) });

/** Which units to list by the state of their vectors. */
export interface VectorQuery {
  /** How many units to list, 1 to `MAX_LISTED`. Default 100. */
  readonly limit?: number | undefined;
}

/** How to embed everything again. */
export type ReindexOptions = EmbedPendingOptions;
