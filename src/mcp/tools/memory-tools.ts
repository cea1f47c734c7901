import { z } from 'zod';
import type { FoundMemory, Memory } from '../../memories/contract/memory-answers.ts';
import { MAX_MEMORY_QUERY_CHARS } from '../../memories/contract/memory-requests.ts';
import { MIN_SHOWN_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import { SOURCE_CLASSES } from '../../model/entity-types/memory-facts.ts';
import { cutToTokens } from '../../model/text/token-count.ts';
import { defineMemoryTool } from '../catalog/mcp-tool.ts';
import { confidenceNote, countField, instructionWarnings, oneLine, warningsField } from '../items/fields.ts';
import { rounded } from '../items/found-items.ts';

/** Every client pays for these schemas with each list of tools: no more than what a model needs. */
const hash = z.string().max(512);
const tags = z.array(z.string().max(100)).max(100).optional();
const type = z.string().max(64).optional();
const storedOutput = z.object({
  hash: z.string(),
  stored: z.boolean().describe('False: a duplicate.'),
  near_duplicates: z.array(z.string()),
});

/** What an answer may cost a model. */
const MAX_TOKENS = 4000;

const SHORT_HASH = 16;
const short = (text: string): string => text.slice(0, SHORT_HASH);
const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function storedAnswer(answer: {
  readonly content_hash: string;
  readonly success: boolean;
  readonly message: string;
  readonly near_duplicates: readonly { readonly content_hash: string; readonly content: string }[];
  readonly warnings: readonly string[];
}) {
  const near = answer.near_duplicates.map(({ content_hash, content }) => `${short(content_hash)}: ${oneLine(content)}`);
  const also = near.length === 0 ? '' : `\nNearly the same, supersede or forget if outdated:\n${near.join('\n')}`;
  return {
    structured: {
      hash: short(answer.content_hash),
      stored: answer.success,
      near_duplicates: answer.near_duplicates.map(({ content_hash }) => short(content_hash)),
    },
    text: [
      `${answer.message.replace(answer.content_hash, short(answer.content_hash))}${also}`,
      ...answer.warnings,
    ].join('\n'),
  };
}

export const storeMemory = defineMemoryTool({
  name: 'store_memory',
  title: 'Store a memory',
  right: 'write',
  description: 'Remember one fact for later conversations. No secrets.',
  input: z.strictObject({
    content: z.string().max(100_000),
    tags,
    type,
    source: z.enum(SOURCE_CLASSES).default('model').describe('Who said it.'),
    supersedes: hash.optional().describe('Hash of the outdated memory.'),
  }),
  output: storedOutput,
  async run({ memories }, { content, tags, type, source, supersedes }) {
    const request = given({ tags, memory_type: type, source_class: source, supersedes });
    return storedAnswer(await memories.store({ content, ...request }));
  },
});

const item = z.object({
  hash: z.string(),
  content: z.string(),
  source: z.string(),
  learned: z.string(),
  confidence: z.number().exactOptional().describe('0 to 1, with a query.'),
  tags: z.array(z.string()),
  superseded_by: z.string().exactOptional(),
});

function toItem({
  content_hash,
  content,
  source_class,
  created_at_iso,
  tags,
  superseded,
  ...rest
}: FoundMemory | Memory) {
  const match = 'match' in rest ? rest.match : null;
  const found =
    match === null ? content : [match.before, match.text, match.after].filter((part) => part !== null).join('\n');
  return {
    hash: short(content_hash),
    content: found,
    source: source_class ?? 'unknown',
    learned: created_at_iso.slice(0, 10),
    tags,
    ...(superseded === null ? {} : { superseded_by: short(superseded.by) }),
  };
}

export const searchMemories = defineMemoryTool({
  name: 'search_memories',
  title: 'Search memories',
  right: 'read',
  description: 'Recall what was stored. Without a query: the newest.',
  input: z.strictObject({
    query: z.string().max(MAX_MEMORY_QUERY_CHARS).default(''),
    k: countField.default(5),
    tags,
    type,
    when: z.string().max(256).optional().describe('Such as: last week.'),
    history: z.boolean().default(false).describe('Also superseded ones.'),
  }),
  output: z.object({ memories: z.array(item), warnings: warningsField }),
  async run({ memories }, { query, k, tags, type, when, history }) {
    const found = await memories.search({
      query,
      limit: k,
      include_superseded: history,
      ...(query === '' ? {} : { min_confidence: MIN_SHOWN_CONFIDENCE }),
      ...given({ tags, memory_type: type, time_expr: when }),
    });
    const items = found.memories.map((memory) => ({
      ...toItem(memory),
      ...(query === '' ? {} : { confidence: rounded(memory.confidence) }),
    }));
    const notes = items.flatMap(({ hash, content }) => instructionWarnings(hash, content));
    const lines = items.map(({ hash, content, source, learned, confidence, superseded_by }) => {
      const state = superseded_by === undefined ? '' : `, superseded by ${superseded_by}`;
      const rating = confidence === undefined ? '' : `, confidence ${confidence.toFixed(2)}`;
      return `${content} (${hash}, ${learned}, ${source}${rating}${state})`;
    });
    const answer = lines.length === 0 ? 'No memory matches.' : lines.join('\n');
    const note = confidenceNote({ results: found.memories });
    const text = [...(note === '' ? [] : [note]), answer, ...found.warnings, ...notes].join('\n');
    return {
      structured: { memories: items, warnings: [...found.warnings, ...notes] },
      text: cutToTokens(text, MAX_TOKENS),
    };
  },
});

export const updateMemory = defineMemoryTool({
  name: 'update_memory',
  title: 'Correct a memory',
  right: 'write',
  description: 'New content supersedes the old, which becomes history.',
  input: z.strictObject({
    hash,
    content: z.string().max(100_000).optional(),
    tags,
    type,
    reason: z.string().max(4000).optional(),
  }),
  output: storedOutput,
  async run({ memories }, { hash, content, tags, type, reason }) {
    return storedAnswer(await memories.update(hash, given({ content, tags, memory_type: type, reason })));
  },
});

export const forgetMemory = defineMemoryTool({
  name: 'forget_memory',
  title: 'Forget a memory',
  right: 'write',
  description: 'Delete a wrong memory. If outdated, use update_memory.',
  input: z.strictObject({ hash }),
  output: z.object({ forgotten: z.int() }),
  async run({ memories }, { hash }) {
    const { count, message } = await memories.forget({ content_hash: hash });
    return { structured: { forgotten: count }, text: message };
  },
});
