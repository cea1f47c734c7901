import { z } from 'zod';
import { TOOL_REFERENCE_FORMATS, toToolReferences } from '../../api/tool-references.ts';
import { ENTITY_TYPES, type EntityType, STATUSES } from '../../model/entity.ts';
import { SERVER_TYPES, toolsOf, typesOfRole } from '../../model/entity-types/table.ts';
import { MAX_QUERY_CHARS, type SearchRequestInput } from '../../model/query.ts';
import type { SearchResponse } from '../../model/result.ts';
import type { Catalog } from '../catalog.ts';
import { DETAILS, fitItems } from '../fit-items.ts';
import { type Found, foundItemSchema, foundItems, nearestItems, toFoundItem } from '../found-items.ts';
import { findEntity } from '../need-entity.ts';
import { countTokens, cutToTokens } from '../token-count.ts';
import {
  countField,
  doubtOf,
  instructionWarning,
  kindField,
  maxTokensField,
  NOTHING_FITS,
  queryField,
  warningsField,
} from './fields.ts';
import { defineTool, type ToolAnswer } from './mcp-tool.ts';

/** What an agent can use. What it can read (packages, memories, documents) comes when it is asked for. */
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
      include_disabled: z.boolean().default(false).describe('Also what is switched off.'),
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
  explain: z.boolean().default(false).describe('Say what each score is made of.'),
  format: z
    .enum(['default', ...TOOL_REFERENCE_FORMATS])
    .default('default')
    .describe('Tools as a provider’s own tool search answers them.'),
});
type Input = z.output<typeof input>;

const output = z.object({
  results: z.array(foundItemSchema).describe('Best first.'),
  no_match: z.boolean().describe('Nothing fits, and `results` is empty.'),
  nearest: z
    .array(foundItemSchema)
    .exactOptional()
    .describe('Where nothing fits: what comes closest, and is no answer.'),
  dropped: z.int().describe('Results left out to fit max_tokens.'),
  search_mode: z.string(),
  warnings: warningsField,
  references: z.record(z.string(), z.unknown()).exactOptional().describe('With `format`: for the provider’s API.'),
});

export const searchTools = defineTool({
  name: 'search_tools',
  title: 'Search tools, servers, agents and skills',
  description:
    'Find the right tool, MCP server, agent or skill for a task, in words. Then call get_details with a path to see its input schema.',
  tellsCatalog: true,
  input,
  output,
  async run(catalog, asked) {
    const kinds = asked.kinds ?? USABLE_KINDS;
    const answer = await catalog.search(requestOf(asked, kinds));
    const found = foundItems(answer, kinds.includes('tool'));
    if (asked.format !== 'default') return asReferences(catalog, asked, answer, found);
    const nearest = nearestItems(answer, kinds.includes('tool'));
    const noMatch = found.length === 0;
    const shown = noMatch ? nearest : found;
    const texts = asked.detail === 'schema' ? await withSchemas(catalog, shown) : shown;
    const { items, text, dropped } = fitItems(texts, {
      detail: asked.detail,
      opening: noMatch ? nothingFits(nearest.length) : doubtOf(answer),
      warnings: [...answer.warnings, ...flagged(shown)],
      ...(asked.max_tokens === undefined ? {} : { maxTokens: asked.max_tokens }),
    });
    const results = noMatch
      ? { results: [], ...(items.length === 0 ? {} : { nearest: [...items] }) }
      : { results: [...items] };
    // What was dropped is not there to be warned of.
    const warnings = [...answer.warnings, ...flagged(shown.slice(0, items.length))];
    const { search_mode } = answer;
    return { structured: { ...results, no_match: noMatch, dropped, search_mode, warnings }, text };
  },
});

const nothingFits = (count: number) =>
  count === 0 ? NOTHING_FITS : `${NOTHING_FITS} The nearest, with their confidence:`;

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
  };
}

/** The query, then as many words of the context as a query may still have. Its `#` are no tags. */
export function withContext(query: string, context = ''): string {
  const room = MAX_QUERY_CHARS - query.length - 1;
  const plain = context.replaceAll(/[#\s]+/g, ' ').trim();
  if (plain === '' || room <= 0) return query;
  const cut = plain.length <= room ? plain : plain.slice(0, room).replace(/\s\S*$|[\ud800-\udbff]$/u, '');
  return `${query} ${cut}`.trim();
}

function flagged(found: readonly Found[]): readonly string[] {
  return found.flatMap(({ item, description }) => instructionWarning(item.path, item.name, description) ?? []);
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
  if (item.kind !== 'tool') return undefined;
  if (server === undefined) {
    const alone = await findEntity(catalog, ['tool'], item.path);
    return alone?.type === 'tool' ? alone.inputSchema : undefined;
  }
  // Of the server itself: a tool of its own may be registered under the same path.
  for (const type of SERVER_TYPES) {
    const owner = await findEntity(catalog, [type], server);
    const tool = owner === null ? undefined : toolsOf(owner).find(({ name }) => name === item.name);
    if (tool !== undefined) return tool.inputSchema;
  }
  return undefined;
}

/** Only tools can be referred to; of what a provider takes, fewer come when that is what fits. */
async function asReferences(
  catalog: Catalog,
  { format, max_tokens = Number.POSITIVE_INFINITY }: Input,
  answer: SearchResponse,
  found: readonly Found[],
): Promise<ToolAnswer<z.output<typeof output>>> {
  const tools = (await withSchemas(catalog, found)).filter(({ item }) => item.kind === 'tool');
  for (let count = tools.length; ; count--) {
    const kept = tools.slice(0, count);
    const references = toToolReferences(
      kept.map(({ item, description, server }) => ({
        server_path: server ?? '',
        tool_name: item.name,
        path: item.path,
        description,
        inputSchema: item.input_schema ?? null,
      })),
      format === 'openai' ? 'openai' : 'anthropic',
    );
    const text = JSON.stringify(references.content);
    if (countTokens(text) > max_tokens && count > 0) continue;
    const results = kept.map(({ item: { input_schema: _schema, ...item } }) => toFoundItem(item));
    const dropped = tools.length - count;
    const warnings = [...answer.warnings, ...flagged(kept)];
    const { search_mode } = answer;
    const structured = { results, no_match: tools.length === 0, dropped, search_mode, warnings };
    return { structured: { ...structured, references: { ...references } }, text: cutToTokens(text, max_tokens) };
  }
}
