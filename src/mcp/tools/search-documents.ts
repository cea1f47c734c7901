import { z } from 'zod';
import type { FoundChunk } from '../../documents/contract/document-answers.ts';
import { MIN_SHOWN_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import { MAX_QUERY_CHARS, MAX_SUB_QUERIES, subQuerySchema } from '../../model/query/query.ts';
import { cutToTokens } from '../../model/text/token-count.ts';
import { defineMemoryTool } from '../catalog/mcp-tool.ts';
import { confidenceNote, countField, instructionWarnings, warningsField } from '../items/fields.ts';
import { rounded } from '../items/found-items.ts';

/** What an answer may cost a model. */
const MAX_TOKENS = 6000;

const result = z.object({
  id: z.string(),
  text: z.string(),
  source: z.string(),
  place: z.string(),
  confidence: z.number().describe('0 to 1: how likely it answers.'),
  headings: z.array(z.string()),
  notes: z.array(z.string()),
});

/** `page 3, lines 40-52` */
export function placeOf({ position: { page, from_line, to_line } }: Pick<FoundChunk, 'position'>): string {
  const lines = from_line === to_line ? `line ${from_line}` : `lines ${from_line}-${to_line}`;
  return page === null ? lines : `page ${page}, ${lines}`;
}

function toResult(chunk: FoundChunk): z.output<typeof result> {
  const { chunk_id: id, text, path, collections, heading_path: headings, notes } = chunk;
  const confidence = rounded(chunk.confidence);
  return { id, text, source: `${collections[0] ?? ''}/${path}`, place: placeOf(chunk), confidence, headings, notes };
}

export const searchDocuments = defineMemoryTool({
  name: 'search_documents',
  right: 'read',
  title: 'Search documents',
  description: 'Find passages in the indexed files, with page or lines to cite.',
  rareArguments: ['searches', 'intent'],
  input: z.strictObject({
    query: z.string().max(MAX_QUERY_CHARS).default(''),
    collections: z.array(z.string().max(64)).max(100).optional().describe('Default: all.'),
    searches: z.array(subQuerySchema).max(MAX_SUB_QUERIES).optional().describe('Other wordings of the query.'),
    intent: z.string().max(1000).optional(),
    k: countField.default(5),
  }),
  output: z.object({ results: z.array(result), warnings: warningsField }),
  async run({ documents }, { query, collections, searches, intent, k }) {
    const found = await documents.search({
      query,
      limit: k,
      min_confidence: MIN_SHOWN_CONFIDENCE,
      ...(collections === undefined ? {} : { collections }),
      ...(searches === undefined ? {} : { searches }),
      ...(intent === undefined ? {} : { intent }),
    });
    const results = found.results.map(toResult);
    const orders = results.flatMap(({ source, text, notes }) => instructionWarnings(source, text, ...notes));
    const blocks = results.map(({ id, text, source, place, confidence, headings, notes }) => {
      const above = [...notes, headings.join(' > ')].filter((line) => line !== '');
      return [`[${source}, ${place}] (${id}, confidence ${confidence.toFixed(2)})`, ...above, text].join('\n');
    });
    const note = confidenceNote(found);
    const answer = blocks.length === 0 ? 'No passage matches.' : blocks.join('\n\n');
    const text = [...(note === '' ? [] : [note]), answer, ...found.warnings, ...orders].join('\n');
    return {
      structured: { results, warnings: [...found.warnings, ...orders] },
      text: cutToTokens(text, MAX_TOKENS),
    };
  },
});
