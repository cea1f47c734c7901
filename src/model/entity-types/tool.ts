import { z } from 'zod';
import { flattenMetadata, representativeQueries } from '../text/metadata-text.ts';
import { type EntityTypeDescriptor, PLAIN } from './descriptor.ts';
import { hitScores, jsonObject, sharedFields, strings, text } from './fields.ts';
import { cardOf, joined, labeled, schemaText } from './make-units.ts';
import { optionalDefinition } from './tool-definition.ts';
import { textsIn } from './tool-texts.ts';

const schema = z.object({
  type: z.literal('tool'),
  ...sharedFields,
  inputSchema: jsonObject.optional(),
  ...optionalDefinition,
  server_path: text(512).optional(),
  examples: strings(100),
});

/** Also the hit of a tool that a server lists. */
const hit = z.object({
  server_path: z.string(),
  server_name: z.string(),
  tool_name: z.string(),
  path: z.string(),
  description: z.string().nullable(),
  inputSchema: jsonObject.nullable(),
  title: z.string().nullable(),
  annotations: jsonObject.nullable().describe('Hints of the publisher, such as `readOnlyHint`.'),
  ...hitScores,
  endpoint_url: z.string().nullable(),
});

/** A tool that stands alone. */
export const tool = {
  ...PLAIN,
  schema,
  role: 'capability',
  words: ['single tool', 'single tools'],
  group: 'tools',
  hit,
  texts: ({ inputSchema, name }) => textsIn(inputSchema, 'inputSchema', name),
  units(tool) {
    const { name, title = '', description, tags, metadata, examples, inputSchema } = tool;
    const fields = {
      metadata: joined('\n', title, flattenMetadata(metadata)),
      parameters: schemaText(inputSchema),
      body: examples.join('\n'),
    };
    const embed = [name, title, description, labeled('Tags', tags), ...examples, ...representativeQueries(metadata)];
    return [cardOf(tool, fields, embed)];
  },
} as const satisfies EntityTypeDescriptor<z.output<typeof schema>>;
