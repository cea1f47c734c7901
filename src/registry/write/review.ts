import type { StoredEntity } from '../../engines/store.ts';
import { stated } from '../../model/json/json-object.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { type Review, type ReviewResult, reviewRequestSchema } from '../contract/answers.ts';
import { REVIEW_KEY } from './blocked.ts';
import { changeAnnotated, type PublishParts } from './publish.ts';

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
