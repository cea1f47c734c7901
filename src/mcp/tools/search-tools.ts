import { z } from 'zod';
import { TOOL_REFERENCE_FORMATS, toToolReferences } from '../../api/tool-search/tool-references.ts';
import type { SearchResponse } from '../../model/answer/result.ts';
import { ENTITY_TYPES, type EntityType, STATUSES } from '../../model/entity.ts';
import { SERVER_TYPES, toolsOf, typesOfRole } from '../../model/entity-types/table.ts';
import { MAX_QUERY_CHARS, type SearchRequestInput } from '../../model/query/query.ts';
import { cutToTokens, fitsTokens } from '../../model/text/token-count.ts';
import { mergeResults } from '../../registry/search/with-peers.ts';
import { callFields } from '../calls/call-fields.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { defineTool, type ToolAnswer } from '../catalog/mcp-tool.ts';
import { findEntity } from '../catalog/need-entity.ts';
import {
  confidenceNote,
  countField,
  kindField,
  maxTokensField,
  NO_MATCH,
  queryField,
  warningsField,
} from '../items/fields.ts';
import { DETAILS, fitItems } from '../items/fit-items.ts';
import {
  callableItemSchema,
  type Found,
  foundItemSchema,
  foundItems,
  nearestItems,
  toFoundItem,
} from '../items/found-items.ts';
import { fitMembers, setMembersSchema } from '../items/set-members.ts';
import { searchWithTools, toolItems, virtualToolItems } from '../items/tool-items.ts';

/** What an agent can use. What it can only read (packages, memories, documents) is found on request. */
const USABLE_KINDS: readonly EntityType[] = typesOfRole('capability');

const input = z.strictObject({
  query: queryField,
  kinds: z
    .array(kindField)
    .min(1, 'must name at least one kind')
    .max(ENTITY_TYPES.length)
    .optional()
    .describe('Default: tools, servers, agents and skills. `["tool"]` lists tools one by one.'),
  filters: z
    .strictObject({
      tags: z.array(z.string().max(512)).max(50).optional().describe('All of these tags.'),
      statuses: z
        .array(z.enum(STATUSES))
        .min(1)
        .max(STATUSES.length)
        .optional()
        .describe('Any of these. Default: active and beta.'),
      include_disabled: z.boolean().default(false).describe('Include disabled entries.'),
    })
    .optional(),
  context: z
    .string()
    .max(4000, 'must have at most 4000 characters')
    .optional()
    .describe('What you are doing, in a sentence.'),
  k: countField.default(5).describe('How many results, 1 to 50.'),
  detail: z.enum(DETAILS).default('brief').describe('names, one line each (brief), or with input schemas (schema).'),
  max_tokens: maxTokensField.optional(),
  explain: z.boolean().default(false).describe('Explain each score.'),
  with_prerequisites: z.boolean().default(false).describe('Also what the results need first.'),
  format: z
    .enum(['default', ...TOOL_REFERENCE_FORMATS])
    .default('default')
    .describe('Return tools in the format of a provider’s tool search.'),
});
type Input = z.output<typeof input>;

const output = z.object({
  results: z.array(foundItemSchema).describe('Best first.'),
  no_match: z.boolean().describe('No match; `results` is empty.'),
  nearest: z
    .array(foundItemSchema)
    .exactOptional()
    .describe('Without a match: the nearest results. They are not an answer.'),
  prerequisites: setMembersSchema.exactOptional(),
  dropped: z.int().describe('Results left out to fit max_tokens.'),
  search_mode: z.string(),
  warnings: warningsField,
  references: z.record(z.string(), z.unknown()).exactOptional().describe('With `format`: for the provider’s API.'),
});

export const searchTools = defineTool({
  name: 'search_tools',
  title: 'Search tools, servers, agents and skills',
  right: 'read',
  description:
    'Find the right tool, MCP server, agent or skill for a task, in words. Then call get_details with a path to see its input schema.',
  hasSummary: true,
  rareArguments: ['filters', 'context', 'max_tokens', 'explain', 'with_prerequisites', 'format'],
  input,
  output,
  run: (catalog, asked) => answer(catalog, asked, async (found) => found),
});

/** The same where tools can be called: each says how. */
export const searchCallableTools = defineTool({
  ...searchTools,
  output: output.extend({
    results: z.array(callableItemSchema).describe('Best first.'),
    nearest: z
      .array(callableItemSchema)
      .exactOptional()
      .describe('Without a match: the nearest results. They are not an answer.'),
  }),
  run: (catalog, asked) => answer(catalog, asked, (found) => withCalls(catalog, found)),
});

/** How each tool can be called, or why not. */
async function withCalls(catalog: Catalog, found: readonly Found[]): Promise<readonly Found[]> {
  const isHere = ({ item }: Found) => item.kind === 'tool' && item.origin === undefined;
  const tools = found.filter(isHere).map(({ item }) => item.path);
  if (tools.length === 0) return found;
  const checks = new Map((await catalog.preflight(tools)).map((check, at) => [tools[at], check]));
  return found.map((one) => {
    const check = checks.get(one.item.path);
    return check === undefined ? one : { ...one, item: { ...one.item, ...callFields(check) } };
  });
}

async function answer(
  catalog: Catalog,
  asked: Input,
  callable: (found: readonly Found[]) => Promise<readonly Found[]>,
): Promise<ToolAnswer<z.output<typeof output>>> {
  const kinds = asked.kinds ?? USABLE_KINDS;
  const onlyTools = kinds.every((kind) => kind === 'tool');
  const response = await (onlyTools ? searchOnlyTools(catalog, asked) : catalog.search(requestOf(asked, kinds)));
  const found = onlyTools ? listedTools(response, asked.k) : foundItems(response, kinds.includes('tool'));
  if (asked.format !== 'default') return asReferences(catalog, asked, response, found);
  const near = nearestItems(response, kinds.includes('tool'));
  const nearest = onlyTools ? near.filter(({ item }) => item.kind === 'tool').slice(0, asked.k) : near;
  const noMatch = found.length === 0;
  const shown = await callable(noMatch ? nearest : found);
  const texts = asked.detail === 'schema' ? await withSchemas(catalog, shown) : shown;
  const { items, text, dropped } = fitItems(texts, {
    detail: asked.detail,
    opening: noMatch ? noMatchText(nearest.length) : confidenceNote(response),
    warnings: response.warnings,
    ...(asked.max_tokens === undefined ? {} : { maxTokens: asked.max_tokens }),
  });
  const results = noMatch
    ? { results: [], ...(items.length === 0 ? {} : { nearest: [...items] }) }
    : { results: [...items] };
  const { search_mode, warnings } = response;
  const structured = { ...results, no_match: noMatch, dropped, search_mode, warnings };
  if (response.prerequisites === undefined) return { structured, text };
  const fitted = fitMembers(response.prerequisites, text, asked.max_tokens);
  return { structured: { ...structured, prerequisites: fitted.members }, text: fitted.text };
}

const noMatchText = (nearest: number) =>
  nearest === 0 ? NO_MATCH : `${NO_MATCH} The nearest results, with their confidence:`;

function requestOf(asked: Input, kinds: readonly EntityType[]): SearchRequestInput {
  const { k, filters, explain } = asked;
  return {
    query: withContext(asked.query, asked.context),
    entity_types: [...kinds],
    tags: filters?.tags ?? null,
    max_results: k,
    ...(filters?.statuses === undefined ? {} : { statuses: filters.statuses }),
    include_disabled: filters?.include_disabled ?? false,
    explain,
    with_prerequisites: asked.with_prerequisites,
    // What is not here cannot be given to a provider as a tool.
    peers: asked.format === 'default' && 'setting',
  };
}

/** Tools are listed as any search lists them: with the scores that their servers get beside agents and skills. */
const searchOnlyTools = (catalog: Catalog, asked: Input): Promise<SearchResponse> =>
  searchWithTools(catalog, requestOf(asked, USABLE_KINDS), asked.k);

function listedTools(answer: SearchResponse, count: number): readonly Found[] {
  const tools = toolItems(answer, count);
  const own = [...tools, ...virtualToolItems(answer, count - tools.length)];
  const others = foundItems(answer, true).filter(({ item }) => item.kind === 'tool' && item.origin !== undefined);
  return others.length === 0 ? own : mergeResults(own, others.slice(0, count), ({ item }) => item.confidence ?? 0);
}

/** The query, and as many words of the context as fit into a query. A `#` in the context is not a tag. */
export function withContext(query: string, context = ''): string {
  const room = MAX_QUERY_CHARS - query.length - 1;
  const plain = context.replaceAll(/[#\s]+/g, ' ').trim();
  if (plain === '' || room <= 0) return query;
  const cut = plain.length <= room ? plain : plain.slice(0, room).replace(/\s\S*$|[\ud800-\udbff]$/u, '');
  return `${query} ${cut}`.trim();
}

async function withSchemas(catalog: Catalog, found: readonly Found[]): Promise<readonly Found[]> {
  return Promise.all(
    found.map(async (one) => {
      const input_schema = await schemaOf(catalog, one);
      return input_schema === undefined ? one : { ...one, item: { ...one.item, input_schema } };
    }),
  );
}

async function schemaOf(catalog: Catalog, { item, server }: Found): Promise<Record<string, unknown> | undefined> {
  if (item.kind !== 'tool' || item.origin !== undefined) return undefined;
  if (server === undefined) {
    const alone = await findEntity(catalog, ['tool'], item.path);
    return alone?.type === 'tool' ? alone.inputSchema : undefined;
  }
  // Read the server: a standalone tool may be registered under the same path.
  for (const type of SERVER_TYPES) {
    const owner = await findEntity(catalog, [type], server);
    const tool = owner === null ? undefined : toolsOf(owner).find(({ name }) => name === item.name);
    if (tool !== undefined) return tool.inputSchema;
  }
  return undefined;
}

/** The results in the format of a provider: tools only, as many as fit the limit. */
async function asReferences(
  catalog: Catalog,
  { format, max_tokens = Number.POSITIVE_INFINITY }: Input,
  answer: SearchResponse,
  found: readonly Found[],
): Promise<ToolAnswer<z.output<typeof output>>> {
  const tools = (await withSchemas(catalog, found)).filter(({ item }) => item.kind === 'tool');
  const referencesOf = (count: number) => {
    const references = toToolReferences(
      tools.slice(0, count).map(({ item, description, server }) => ({
        server_path: server ?? '',
        tool_name: item.name,
        path: item.path,
        description,
        inputSchema: item.input_schema ?? null,
      })),
      format === 'default' ? 'anthropic' : format,
    );
    return { references, text: JSON.stringify(references.content) };
  };
  const count = largestThat(tools.length, (some) => fitsTokens(referencesOf(some).text, max_tokens));
  const { references, text } = referencesOf(count);
  const results = tools.slice(0, count).map(({ item: { input_schema: _schema, ...item } }) => toFoundItem(item));
  const { search_mode, warnings } = answer;
  const dropped = tools.length - count;
  const structured = { results, no_match: tools.length === 0, dropped, search_mode, warnings };
  return { structured: { ...structured, references: { ...references } }, text: cutToTokens(text, max_tokens) };
}

/** The largest number up to `max` that fits, if those above it do not; 0 if none does. Asks few times: schemas are long. */
function largestThat(max: number, fits: (count: number) => boolean): number {
  if (fits(max)) return max;
  let low = 0;
  let high = max - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
