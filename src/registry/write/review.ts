import { z } from 'zod';
import type { StoredEntity } from '../../engines/store.ts';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { stated } from '../../model/json-object.ts';
import { parseWith } from '../../model/parse.ts';
import { REVIEW_DECISIONS, type Review, reviewSchema } from '../answers.ts';
import { REVIEW_KEY } from './blocked.ts';
import { changeAnnotated, type PublishParts } from './publish.ts';

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
export type ReviewResult = Readonly<z.output<typeof reviewResultSchema>>;

export interface ReviewBy {
  readonly name: string;
  readonly at: string;
}

/**
 * Approves or blocks an entity. What is approved is enabled, and no draft; what is blocked is disabled, and stays so until it is
 * approved: whatever obeys the switch obeys this.
 */
export async function reviewEntity(
  parts: PublishParts,
  find: () => Promise<StoredEntity>,
  request: unknown,
  { name, at }: ReviewBy,
): Promise<ReviewResult> {
  const { decision, reason } = parseWith(reviewRequestSchema, request, 'review');
  const review: Review = { decision, by: name, at, ...stated({ reason: reason === '' ? undefined : reason }) };
  const { entity_type, path } = await changeAnnotated(parts, async () => {
    const { entity } = await find();
    const approved = { is_enabled: true, status: entity.status === 'draft' ? 'active' : entity.status };
    const input = { ...entity, ...(decision === 'approved' ? approved : { is_enabled: false }) };
    return { inputs: [input], annotations: { [REVIEW_KEY]: review } };
  });
  return { entity_type, path, review };
}
