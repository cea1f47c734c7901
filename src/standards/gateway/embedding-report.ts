import { z } from 'zod';
import { ENTITY_TYPES } from '../../model/entity.ts';

const count = z.int().min(0);
const listed = z.object({
  path: z.string(),
  entity_type: z.enum(ENTITY_TYPES),
  name: z.string(),
  is_enabled: z.boolean(),
});
export type Listed = z.output<typeof listed>;
const detail = z.object({
  path: z.string(),
  entity_type: z.string(),
  status: z.enum(['success', 'failed', 'removed', 'not_found']),
  error: z.string().nullable(),
});

/** Optional: they are not part of what our own client reads. */
const totals = {
  total_indexed: count.exactOptional().describe('Entities with all their vectors.'),
  total_source: count.exactOptional().describe('All entities.'),
};

/** The keys that the command line of the MCP gateway registry reads, beside our own. They count entities, not units. */
export const missingKeys = {
  missing: z.array(listed).exactOptional().describe('The same as `entities`, with names.'),
  total_missing: count.exactOptional().describe('Entities with a missing vector.'),
  ...totals,
};
export const staleKeys = {
  stale: z.array(listed).exactOptional().describe('The same as `entities`, with names.'),
  total_stale: count.exactOptional().describe('Entities with a stale vector.'),
  ...totals,
};
export const reindexKeys = {
  success: count.exactOptional().describe('Paths that were re-embedded.'),
  failed: count.exactOptional().describe('Paths without an entity.'),
  total: count.exactOptional(),
  details: z.array(detail).exactOptional().describe('One for each path.'),
};
export const cleanUpKeys = { failed: count.exactOptional(), total: count.exactOptional() };

/** An entity may be listed once for each of its models. */
export function distinctEntities(found: readonly Listed[]): Listed[] {
  return [...new Map(found.map((one) => [`${one.entity_type}:${one.path}`, one])).values()];
}

export function reindexDetails(paths: readonly string[], notFound: readonly string[]) {
  const details = paths.map((path) =>
    notFound.includes(path)
      ? { path, entity_type: 'unknown', status: 'failed' as const, error: 'Not found' }
      : { path, entity_type: 'any', status: 'success' as const, error: null },
  );
  const failed = details.filter(({ status }) => status === 'failed').length;
  return { success: details.length - failed, failed, total: details.length, details };
}
