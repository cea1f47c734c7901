import { z } from 'zod';
import { type EntityInput, STATUSES } from '../../model/entity.ts';
import { entityTypeSchema } from '../../model/query/query-fields.ts';
import { tagCountSchema } from '../../registry/contract/answers.ts';
import { MAX_PAGE } from '../../registry/contract/registry.ts';
import { commaList, countText, tagList } from './wire-fields.ts';

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

export const pageQuery = z.strictObject({
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

export const tagCountsSchema = z.object({
  tags: z.array(z.string()),
  counts: z.array(tagCountSchema).describe('How many entities have each of these tags.'),
  total_count: z.int().min(0).describe('How many different tags there are.'),
});
