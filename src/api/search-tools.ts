import { z } from 'zod';
import { searchRequestSchema } from '../model/query.ts';
import { TOOL_REFERENCE_FORMATS } from './tool-references.ts';

/** A search for tools alone, answered for a model's own tool search. Every other field is that of any search. */
export const searchToolsRequestSchema = searchRequestSchema
  .strip()
  .omit({ entity_types: true, metadata_fields: true, explain: true })
  .extend({
    format: z
      .enum(TOOL_REFERENCE_FORMATS, `must be one of ${TOOL_REFERENCE_FORMATS.join(', ')}`)
      .describe('Whose tool search the answer is for.'),
  });

const jsonSchema = z.record(z.string(), z.unknown()).readonly();
const origins = z
  .array(z.object({ name: z.string(), server_path: z.string(), tool_name: z.string(), path: z.string() }).readonly())
  .readonly()
  .describe('The tool behind each name.');
const deferred = z.literal(true);

export const toolReferencesSchema = z.discriminatedUnion('format', [
  z.object({
    format: z.literal('anthropic'),
    content: z
      .object({
        type: z.literal('tool_search_tool_search_result'),
        tool_references: z
          .array(z.object({ type: z.literal('tool_reference'), tool_name: z.string() }).readonly())
          .readonly(),
      })
      .readonly(),
    definitions: z
      .array(
        z
          .object({ name: z.string(), description: z.string(), input_schema: jsonSchema, defer_loading: deferred })
          .readonly(),
      )
      .readonly()
      .describe('The same tools, for the `tools` of the request.'),
    origins,
  }),
  z.object({
    format: z.literal('openai'),
    content: z
      .object({
        type: z.literal('tool_search_output'),
        execution: z.literal('client'),
        status: z.literal('completed'),
        tools: z
          .array(
            z
              .object({
                type: z.literal('function'),
                name: z.string(),
                description: z.string(),
                parameters: jsonSchema,
                defer_loading: deferred,
              })
              .readonly(),
          )
          .readonly(),
      })
      .readonly(),
    origins,
  }),
]);
