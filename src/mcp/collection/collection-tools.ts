import { z } from 'zod';
import type { DocumentText } from '../../documents/contract/document-answers.ts';
import {
  chunkSchema,
  collectionStatsSchema,
  foundChunkSchema,
  sourceListSchema,
} from '../../documents/contract/document-answers.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { chunkInCollection, searchCollection } from '../../documents/search/search-collection.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { MAX_QUERY_CHARS, queryVectorSchema } from '../../model/query/query.ts';
import type { McpTool, ToolAnswer } from '../catalog/mcp-tool.ts';

/** A model reads a short document whole, and of a long one what is around the passage. */
const MAX_CHARS = 50_000;
const LINES_AROUND = 100;

type FetchedText = {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly metadata: Record<string, unknown>;
};

/** Clients of these tools read the text of an answer as JSON. */
const asJson = <T>(structured: T): ToolAnswer<T> => ({ structured, text: JSON.stringify(structured) });

const found = z.object({
  results: z.array(foundChunkSchema.extend({ id: z.string(), title: z.string(), url: z.string() })),
  total: z.int(),
  query: z.string(),
  mode: z.string(),
  warnings: z.array(z.string()),
});

const fetched = z.object({
  id: z.string(),
  title: z.string(),
  text: z.string(),
  url: z.string(),
  metadata: z.record(z.string(), z.unknown()),
});

/**
 * The tools of one collection. `search` and `fetch` are what ChatGPT's connectors and deep research call, `search`,
 * `get_chunk`, `list_sources` and `stats` those of IndexFoundry's servers: one `search` has the fields of both.
 */
export function collectionTools(documents: Documents, name: string): readonly McpTool[] {
  const search: McpTool = {
    name: 'search',
    right: 'read',
    title: 'Search',
    description: 'Find passages by words and by meaning. Fetch one by its id.',
    input: z.strictObject({
      query: z.string().max(MAX_QUERY_CHARS),
      mode: z.enum(['keyword', 'semantic', 'hybrid']).optional(),
      top_k: z.number().optional(),
      query_vector: queryVectorSchema,
    }),
    output: found,
    briefOutput: true,
    async run(_, input) {
      const answer = await searchCollection(documents, name, input);
      const { total, query, mode, warnings } = answer;
      const results = answer.results.map((chunk) => ({
        id: chunk.chunk_id,
        title: [chunk.source_name, ...chunk.heading_path.slice(-1)].join(': '),
        url: chunk.source_url,
        ...chunk,
      }));
      return asJson({ results, total, query, mode, warnings });
    },
  };
  const fetch: McpTool = {
    name: 'fetch',
    right: 'read',
    title: 'Fetch',
    description: 'The text around a passage, or of a whole file, by the id of a search result or of a source.',
    input: z.strictObject({ id: z.string().max(512) }),
    output: fetched,
    briefOutput: true,
    run: async (_, { id }) => asJson(await fetchText(documents, name, String(id))),
  };
  const getChunk: McpTool = {
    name: 'get_chunk',
    right: 'read',
    title: 'Get a chunk',
    description: 'One passage by its id.',
    input: z.strictObject({ chunk_id: z.string().max(512) }),
    output: chunkSchema,
    briefOutput: true,
    run: async (_, { chunk_id }) => asJson(await chunkInCollection(documents, name, String(chunk_id))),
  };
  const listSources: McpTool = {
    name: 'list_sources',
    right: 'read',
    title: 'List sources',
    description: 'The files of this collection.',
    input: z.strictObject({}),
    output: sourceListSchema,
    briefOutput: true,
    run: async () => asJson(await documents.sources(name)),
  };
  const stats: McpTool = {
    name: 'stats',
    right: 'read',
    title: 'Statistics',
    description: 'How many files, chunks and vectors this collection has.',
    input: z.strictObject({}),
    output: collectionStatsSchema,
    briefOutput: true,
    run: async () => asJson(await documents.stats(name)),
  };
  return [search, fetch, getChunk, listSources, stats];
}

/** What ChatGPT's `fetch` answers with, for a chunk or a source of the collection. Throws NOT_FOUND for any other id. */
async function fetchText(documents: Documents, name: string, id: string): Promise<FetchedText> {
  const { name: collection } = await documents.collection(name);
  const document = await documents.read(id, { max_chars: MAX_CHARS });
  if (!document.collections.includes(collection)) {
    throw new DowserError('NOT_FOUND', `The collection '${collection}' has no document ${showValue(id)}.`, {
      field: 'id',
    });
  }
  const shown = document.truncated ? await around(documents, name, id, document) : document;
  const { source_id, source_name, source_url, path, from_line, to_line, lines, page, to_page, notes } = shown;
  return {
    id,
    title: source_name,
    text: shown.text,
    url: source_url,
    metadata: { ...shown.metadata, source_id, path, from_line, to_line, lines, page, to_page, notes },
  };
}

async function around(documents: Documents, name: string, id: string, whole: DocumentText): Promise<DocumentText> {
  const chunk = await chunkInCollection(documents, name, id).catch(() => null);
  if (chunk === null) return whole;
  const { from_line, to_line } = chunk.position;
  return documents.read(id, {
    from_line: Math.max(1, from_line - LINES_AROUND),
    to_line: Math.min(whole.lines, to_line + LINES_AROUND),
    max_chars: MAX_CHARS,
  });
}
