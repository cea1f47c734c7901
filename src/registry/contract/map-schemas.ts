import { z } from 'zod';
import { ENTITY_TYPES } from '../../model/entity.ts';

const share = z.number().min(0).max(1);

/** An entity on the map. Near to each other is what is close in meaning. */
export const mapPointSchema = z.object({
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string().describe('Its name. Of a memory without one, the beginning of its text.'),
  x: share,
  y: share,
});
export type MapPoint = z.output<typeof mapPointSchema>;

/** The entities that a caller may read, in two dimensions. */
export const catalogMapSchema = z.object({
  points: z.array(mapPointSchema),
  total: z.int().describe('Entities that are in use: active or beta, and enabled.'),
  sampled: z.int().describe('How many of these were taken. A catalog of more than 5,000 is sampled.'),
  without_vector: z.int().describe('How many of these have no place, because their vector is not computed yet.'),
  embedder: z.string().nullable().describe('Null: there is no embedding model, and no map.'),
  is_current: z
    .boolean()
    .describe(
      'False: this is an earlier map, without the entities that are gone. A new one is being computed: ask again after 10 seconds.',
    ),
});
export type CatalogMap = z.output<typeof catalogMapSchema>;
