import { z } from 'zod';
import { type Entity, idOf, STATUSES, VISIBILITIES } from '../../model/entity.ts';
import { type Projection, project } from '../../model/parse/projection.ts';

/** What a registry knows of an asset besides its entity. */
export interface AssetFacts {
  readonly created_at: string;
  readonly updated_at: string;
  readonly num_stars: number;
  readonly rating_details: readonly { readonly user: string; readonly rating: number }[];
  readonly health_status: 'healthy' | 'unhealthy' | 'unknown';
  readonly health_error: string | null;
  readonly last_checked_at: string | null;
}

/** The license of an asset without one: clients of the MCP gateway registry require a text. */
export const NO_LICENSE = 'N/A';

const time = z.string().meta({ format: 'date-time' });
export const anyObject = z.record(z.string(), z.unknown());
export const warnings = z.array(z.string()).describe('What was accepted but not used, or refers to nothing.');

/** The fields of every asset, as clients of the MCP gateway registry read them. */
export const assetFields = {
  id: z.string().describe('Unique: the type and the path.'),
  path: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  is_enabled: z.boolean(),
  status: z.enum(STATUSES),
  visibility: z.enum(VISIBILITIES),
  allowed_groups: z.array(z.string()),
  owner: z.string().nullable(),
  registered_by: z.string().nullable().describe('The same as `owner`.'),
  version: z.string().nullable(),
  license: z.string().describe(`\`${NO_LICENSE}\` without a license.`),
  metadata: anyObject,
  num_stars: z.number().describe('The mean rating. 0 without ratings.'),
  rating_details: z.array(z.object({ user: z.string(), rating: z.int() })).describe('The last hundred ratings.'),
  health_status: z
    .enum(['healthy', 'unhealthy', 'unknown'])
    .describe('Whether it answered at the last check. `unknown` if it was never checked.'),
  health_error: z.string().nullable().describe('Why it did not answer, or why it was not asked.'),
  last_checked_iso: time.nullable().describe('The time of the last check.'),
  sync_metadata: z.null().describe('Always null: nothing is synchronized from another registry.'),
  created_at: time,
  registered_at: time.describe('The same as `created_at`.'),
  updated_at: time,
};

/**
 * The fields of every asset, with those of its kind. By `Object.assign`: a list makes hundreds of these, and a spread of this many
 * fields takes four times as long.
 */
export function assetRecord<M extends object>(
  entity: Entity,
  facts: AssetFacts,
  projection: Projection | null,
  more: M,
) {
  const shared = {
    id: idOf(entity),
    path: entity.path,
    description: entity.description,
    tags: entity.tags,
    is_enabled: entity.is_enabled,
    status: entity.status,
    visibility: entity.visibility,
    allowed_groups: entity.allowed_groups,
    owner: entity.owner ?? null,
    registered_by: entity.owner ?? null,
    version: entity.version ?? null,
    license: entity.license ?? NO_LICENSE,
    metadata: projection === null ? entity.metadata : project(entity.metadata, projection),
    num_stars: facts.num_stars,
    rating_details: facts.rating_details.map(({ user, rating }) => ({ user, rating })),
    health_status: facts.health_status,
    health_error: facts.health_error,
    last_checked_iso: facts.last_checked_at,
    sync_metadata: null,
    created_at: facts.created_at,
    registered_at: facts.created_at,
    updated_at: facts.updated_at,
  };
  return Object.assign(shared, more);
}

/** Fields of answers that clients send back. They are ignored without a warning. */
export const READ_ONLY_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'overwrite',
  'created_at',
  'registered_at',
  'registered_by',
  'updated_at',
  'num_stars',
  'numStars',
  'rating_details',
  'num_tools',
  'num_skills',
  'tool_count',
  'backend_count',
  'backend_paths',
  'display_name',
  'skill_name',
  'has_content',
  'health_status',
  'health_error',
  'last_checked_iso',
  'sync_metadata',
  'default_version',
  'versions',
  'warnings',
  'message',
]);

/** Sent values that stand for an absent one, as answers show it. */
export function withoutPlaceholders(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isPlaceholder = (key: string, value: unknown) => PLACEHOLDERS.get(key) === value && value !== undefined;
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([key, value]) => [key, isPlaceholder(key, value) ? null : value]));
}

const PLACEHOLDERS: ReadonlyMap<string, string> = new Map([
  ['license', NO_LICENSE],
  ['skill_md_url', ''],
  ['version', ''],
  ['url', ''],
]);
