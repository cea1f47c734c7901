import { z } from 'zod';
import type { Entity } from '../../model/entity.ts';
import { SERVER_TYPES, toolsOf } from '../../model/entity-types/table.ts';
import { stated } from '../../model/json/json-object.ts';
import { wholeNumber } from '../../model/query/query-fields.ts';
import { cutToTokens, ellipsed, fitsTokens } from '../../model/text/token-count.ts';
import { callFields } from '../calls/call-fields.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { defineTool, type ToolAnswer } from '../catalog/mcp-tool.ts';
import { findEntity, needRecord } from '../catalog/need-entity.ts';
import { kindField, maxTokensField, oneLine, warningsField } from '../items/fields.ts';

const DEFAULT_MAX_TOKENS = 4000;

const input = z.strictObject({
  path: z
    .string()
    .min(1, 'must not be empty')
    .max(1100, 'must have at most 1100 characters')
    .describe('A path from an answer: `/github`, or `/github#create_issue` for one tool of a server.'),
  kind: kindField.optional().describe('If several kinds have the same path.'),
  from_tool: wholeNumber(0, 5000).default(0).describe('`next_tool` of the last part.'),
  max_tokens: maxTokensField.default(DEFAULT_MAX_TOKENS),
});

const output = z.object({
  kind: kindField,
  path: z.string(),
  name: z.string(),
  description: z.string(),
  input_schema: z.record(z.string(), z.unknown()).exactOptional(),
  server: z
    .object({ path: z.string(), name: z.string(), url: z.string().exactOptional() })
    .exactOptional()
    .describe('For a tool of a server.'),
  tools: z
    .array(
      z.object({
        name: z.string(),
        title: z.string().exactOptional(),
        description: z.string().exactOptional(),
        input_schema: z.record(z.string(), z.unknown()).exactOptional(),
        output_schema: z.record(z.string(), z.unknown()).exactOptional(),
        annotations: z.record(z.string(), z.unknown()).exactOptional(),
      }),
    )
    .exactOptional()
    .describe('For a server.'),
  tool_count: z.int().exactOptional(),
  next_tool: z.int().exactOptional().describe('The next `from_tool`.'),
  fields: z.record(z.string(), z.unknown()).exactOptional().describe('All other registered fields.'),
  left_out: z.array(z.string()).describe('What was cut to fit max_tokens.'),
  warnings: warningsField,
});

/** The same where tools can be called. */
const callableOutput = output.extend({
  call: z.enum(['read', 'call']).exactOptional().describe('Call it with call_read_tool, or with call_tool.'),
  not_callable: z.string().exactOptional().describe('Why it cannot be called.'),
  definition: z.string().exactOptional().describe('For call_tool.'),
});
type Details = z.output<typeof callableOutput>;

export const getDetails = defineTool({
  name: 'get_details',
  title: 'Everything about one result',
  right: 'read',
  description:
    'Read everything that is registered at one path from an answer, such as the input schema of a tool or the tools of a server.',
  rareArguments: ['kind', 'max_tokens'],
  input,
  output,
  run: (catalog, asked) => answer(catalog, asked, async () => ({})),
});

/** The same where tools can be called: a tool says how. */
export const getCallableDetails = defineTool({
  ...getDetails,
  output: callableOutput,
  run: (catalog, asked) =>
    answer(catalog, asked, async ({ type, path }) => {
      const [check] = type === 'tool' ? await catalog.preflight([path]) : [];
      if (check === undefined) return {};
      const { arguments: _, ...fields } = callFields(check);
      return fields;
    }),
});

async function answer(
  catalog: Catalog,
  { path, kind, from_tool, max_tokens }: z.output<typeof input>,
  callable: (entity: Entity) => Promise<Pick<Details, 'call' | 'definition' | 'not_callable'>>,
): Promise<ToolAnswer<Details>> {
  const { entity, warnings } = await needRecord(catalog, path, kind);
  const details = { ...entityDetails(entity, await serverOf(catalog, entity)), ...(await callable(entity)) };
  const structured = fitDetails({ ...details, warnings: [...warnings] }, from_tool, max_tokens);
  return { structured, text: cutToTokens(toText(structured), max_tokens) };
}

/** The server of a tool. Null if there is none. */
async function serverOf(catalog: Catalog, entity: Entity): Promise<Entity | null> {
  if (entity.type !== 'tool' || entity.server_path === undefined) return null;
  return findEntity(catalog, SERVER_TYPES, entity.server_path);
}

function urlOf(entity: Entity): string | undefined {
  return entity.type === 'mcp_server' ? (entity.mcp_endpoint ?? entity.url) : undefined;
}

function entityDetails(entity: Entity, server: Entity | null): Details {
  const { type, path, name, description, ...rest } = entity;
  const tools = toolsOf(entity).map((tool) => ({
    name: tool.name,
    ...stated({ title: tool.title }),
    description: tool.description,
    ...stated({ input_schema: tool.inputSchema, output_schema: tool.outputSchema, annotations: tool.annotations }),
  }));
  const schema = entity.type === 'tool' ? entity.inputSchema : undefined;
  const url = server === null ? undefined : urlOf(server);
  const hidden = new Set(['tools', 'tool_mappings', 'inputSchema', ...(server === null ? [] : ['server_path'])]);
  const fields = Object.fromEntries(Object.entries(rest).filter(([key, value]) => !hidden.has(key) && hasValue(value)));
  return {
    kind: type,
    path,
    name,
    description,
    ...(schema === undefined ? {} : { input_schema: schema }),
    ...(server && { server: { path: server.path, name: server.name, ...(url === undefined ? {} : { url }) } }),
    ...(tools.length === 0 ? {} : { tools }),
    fields,
    left_out: [],
    warnings: [],
  };
}

/** Where to go on, if these are not the last tools. */
function withNextTool({ next_tool: _, ...details }: Details, from: number): Details {
  const next = from + (details.tools?.length ?? 0);
  return next < (details.tool_count ?? 0) ? { ...details, next_tool: next } : details;
}

/** Empty fields are left out. */
function hasValue(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

const MEDIUM_CHARS = 400;
const SHORT_CHARS = 100;

/** Steps to shorten the details, least important content first, with the name of what each removes. */
const SAVINGS: readonly { readonly what: string; save(details: Details): Details }[] = [
  { what: 'output schemas of tools', save: (d) => withTools(d, ({ output_schema: _schema, ...tool }) => tool) },
  { what: 'input schemas of tools', save: (d) => withTools(d, ({ input_schema: _schema, ...tool }) => tool) },
  { what: 'long fields', save: (d) => withFields(d, (value) => cutText(value, MEDIUM_CHARS)) },
  { what: 'ends of tool descriptions', save: (d) => withTools(d, (tool) => cutTool(tool, SHORT_CHARS)) },
  { what: 'metadata', save: (d) => ({ ...d, ...(d.fields && { fields: { ...d.fields, metadata: undefined } }) }) },
  { what: 'descriptions of tools', save: (d) => withTools(d, ({ name }) => ({ name })) },
  { what: 'fields', save: ({ fields: _fields, ...d }) => d },
  { what: 'the end of the description', save: (d) => ({ ...d, description: ellipsed(d.description, MEDIUM_CHARS) }) },
  { what: 'most tools', save: (d) => (d.tools === undefined ? d : { ...d, tools: d.tools.slice(0, 20) }) },
  { what: 'the input schema', save: ({ input_schema: _schema, ...d }) => d },
  { what: 'nearly all tools', save: (d) => (d.tools === undefined ? d : { ...d, tools: d.tools.slice(0, 5) }) },
  { what: 'tools', save: ({ tools: _tools, ...d }) => d },
  { what: 'the description', save: (d) => ({ ...d, description: ellipsed(oneLine(d.description), SHORT_CHARS) }) },
];

/** Applies the steps until the text is within the limit. A step that changes nothing is not named. */
function fitDetails({ tools, ...details }: Details, from: number, limit: number): Details {
  const listed = tools === undefined ? {} : { tools: tools.slice(from), tool_count: tools.length };
  let fitted = withNextTool({ ...details, ...listed }, from);
  for (const { what, save } of SAVINGS) {
    if (fitsTokens(toText(fitted), limit)) break;
    const saved = withNextTool(compact(save(fitted)), from);
    if (JSON.stringify(saved) !== JSON.stringify(fitted)) fitted = { ...saved, left_out: [...fitted.left_out, what] };
  }
  return fitted;
}

const compact = (details: Details): Details => JSON.parse(JSON.stringify(details)) as Details;

type ListedTool = NonNullable<Details['tools']>[number];

function withTools(details: Details, change: (tool: ListedTool) => ListedTool): Details {
  return details.tools === undefined ? details : { ...details, tools: details.tools.map(change) };
}

function withFields(details: Details, change: (value: unknown) => unknown): Details {
  if (details.fields === undefined) return details;
  const fields = Object.fromEntries(Object.entries(details.fields).map(([key, value]) => [key, change(value)]));
  return { ...details, fields };
}

const cutText = (value: unknown, length: number) => (typeof value === 'string' ? ellipsed(value, length) : value);

function cutTool({ name, description }: ListedTool, length: number): ListedTool {
  return description === undefined ? { name } : { name, description: ellipsed(oneLine(description), length) };
}

/** The details as JSON, without empty lists. */
function toText({ left_out, warnings, ...details }: Details): string {
  return JSON.stringify({
    ...details,
    ...(left_out.length === 0 ? {} : { left_out }),
    ...(warnings.length === 0 ? {} : { warnings }),
  });
}
