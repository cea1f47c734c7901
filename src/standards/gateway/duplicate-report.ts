import { z } from 'zod';
import { ENTITY_TYPES, type EntityType } from '../../model/entity.ts';

const score = z.number().min(0).max(1);
const hit = {
  entity_type: z.enum(ENTITY_TYPES),
  path: z.string(),
  name: z.string(),
  description: z.string(),
  owner: z.string().nullable(),
  registered_at: z.string().meta({ format: 'date-time' }),
  relevance_score: score.describe('1 for a collision, else the similarity.'),
  match_reason: z.string().describe('Why it is listed, in words.'),
};
const reason = z.enum(['path', 'url', 'name']);

export const gatewayDuplicatesSchema = z.object({
  has_collision: z.boolean(),
  collision_with: z.array(z.object({ ...hit, reasons: z.array(reason).describe('The equal fields.') })),
  advisory_matches: z.array(z.object({ ...hit, similarity_score: z.number().describe('The raw cosine.') })),
  threshold: z.number(),
  similarity_search_available: z.boolean(),
});
export type GatewayDuplicates = z.output<typeof gatewayDuplicatesSchema>;

interface Found {
  readonly entity_type: EntityType;
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly owner: string | null;
  readonly created_at: string;
}

/** The duplicates that a registry found. */
export interface FoundDuplicates {
  readonly has_collision: boolean;
  readonly collision_with: readonly (Found & { readonly reasons: readonly z.output<typeof reason>[] })[];
  readonly advisory_matches: readonly (Found & { readonly similarity_score: number })[];
  readonly threshold: number;
  readonly similarity_search_available: boolean;
}

export function toGatewayDuplicates(found: FoundDuplicates): GatewayDuplicates {
  return {
    ...found,
    collision_with: found.collision_with.map(({ created_at, reasons, ...same }) => {
      const match_reason = `same ${reasons.join(', ')}`;
      return { ...same, registered_at: created_at, relevance_score: 1, match_reason, reasons: [...reasons] };
    }),
    advisory_matches: found.advisory_matches.map(({ created_at, ...near }) => {
      const relevance_score = Math.min(1, Math.max(0, near.similarity_score));
      return { ...near, registered_at: created_at, relevance_score, match_reason: 'similar meaning' };
    }),
  };
}
