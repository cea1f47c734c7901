import { z } from 'zod';
import { searchResponseSchema } from '../../model/answer/result.ts';
import { searchRequestSchema } from '../../model/query/query.ts';
import {
  anthropicReferencesSchema,
  openAiNamespacesSchema,
  openAiReferencesSchema,
  TOOL_REFERENCE_FORMATS,
} from './tool-references.ts';

/** The part of the request that is not a search. The registry parses the rest. */
export const searchToolsFormat = z.looseObject({
  format: z
    .enum(TOOL_REFERENCE_FORMATS, `must be one of ${TOOL_REFERENCE_FORMATS.join(', ')}`)
    .describe('The provider whose tool search gets the answer.'),
});

const searchToolsFields = searchRequestSchema
  .strip()
  .omit({ entity_types: true, metadata_fields: true, explain: true })
  .extend(searchToolsFormat.shape);

/**
 * A search for tools, answered in the format of a provider's tool search. The other fields are those of any search. Unknown
 * fields are allowed and reported as warnings.
 */
export const searchToolsRequestSchema = searchToolsFields.loose() as unknown as typeof searchToolsFields;

/** Search fields that do not apply to a search for tools. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(
  Object.keys(searchRequestSchema.shape).filter((field) => !Object.hasOwn(searchToolsFields.shape, field)),
);

/** Removes the fields without effect from a request, with a warning for each. */
export function withoutUnusedFields<T extends object>(
  request: T,
): { readonly request: T; readonly warnings: string[] } {
  const fields = Object.entries(request);
  const warnings = fields
    .filter(([field]) => WITHOUT_EFFECT.has(field))
    .map(([field]) => `A search for tools has no field '${field}'; it is ignored.`);
  return { request: Object.fromEntries(fields.filter(([field]) => !WITHOUT_EFFECT.has(field))) as T, warnings };
}

const { warnings } = searchResponseSchema.shape;

export const toolReferencesSchema = z.discriminatedUnion('format', [
  anthropicReferencesSchema.extend({ warnings }),
  openAiReferencesSchema.extend({ warnings }),
  openAiNamespacesSchema.extend({ warnings }),
]);
