import { MIN_CHUNK_CHARS } from '../../documents/contract/document-chunk.ts';
import { GRAPH_ACTIONS, MEMORY_RELATIONS } from '../../memories/contract/memory-graph-schemas.ts';
import { MAX_MEMORY_RESULTS } from '../../memories/contract/memory-requests.ts';
import type { Memories } from '../../memories/memories.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { LocalFiles } from '../server/create-mcp-server.ts';
import {
  type ArgumentSchema,
  DATE,
  MODE,
  OBJECT,
  SHARE,
  TAG_MATCH,
  TAGS,
  TEXT,
  TURNS,
  wholeFrom1,
  YES_NO,
} from './argument-schemas.ts';
import { graphService } from './graph-service.ts';
import { DEFAULT_CHUNK_OVERLAP, DEFAULT_CHUNK_SIZE } from './ingest-file.ts';
import { ingestService } from './ingest-service.ts';
import { searchService } from './search-service.ts';
import { foundText, jsonText, NOT_OFFERED, toServiceMemory } from './service-answers.ts';
import {
  dayBegins,
  given,
  limitOf,
  needed,
  type ServiceArguments,
  tagMatchOf,
  tagsOf,
  toStore,
  turnsOf,
} from './service-arguments.ts';

const TYPE = 'mistake';
const COUNT = 'failure_count';

/** A tool of the memory service, with its name, arguments and text answer. */
export interface ServiceTool {
  readonly name: string;
  /** The scope that its caller needs. */
  readonly right: 'read' | 'write';
  readonly description: string;
  readonly arguments: Readonly<Record<string, ArgumentSchema>>;
  /** The arguments that a call must have. */
  readonly required?: readonly string[];
  /** `files`: those of this machine, if the server may read them. */
  run(memories: Memories, args: ServiceArguments, files?: LocalFiles | null): Promise<string>;
}

const SEARCH_ARGUMENTS = {
  query: TEXT,
  mode: MODE,
  time_expr: TEXT,
  after: DATE,
  before: DATE,
  tags: TAGS,
  tag_match: TAG_MATCH,
  limit: wholeFrom1(MAX_MEMORY_RESULTS, 10),
  include_debug: YES_NO,
  max_response_chars: wholeFrom1(),
  include_superseded: YES_NO,
  min_certainty: SHARE,
  fallback: YES_NO,
  quality_boost: SHARE,
  entity: TEXT,
};

function toChanges({ updates }: ServiceArguments): Record<string, unknown> {
  if (!isJsonObject(updates)) {
    throw new DowserError('INVALID_REQUEST', `'updates' is ${showValue(updates)}: must be an object.`, {
      field: 'updates',
    });
  }
  const { tags, memory_type, metadata, content, ...rest } = updates;
  const kept = { ...(isJsonObject(metadata) ? metadata : {}), ...rest };
  return given({ tags, memory_type, content, metadata: Object.keys(kept).length === 0 ? undefined : kept });
}

/** Forgets by hash, or by tags and time. A date in `before` counts whole. */
export async function forgetService(memories: Memories, args: ServiceArguments): Promise<string> {
  const { content_hash, before, after, dry_run } = args;
  const filter = given({ content_hash, before, after, dry_run, tags: tagsOf(args), tag_match: tagMatchOf(args) });
  const { message, hashes, dry_run: only } = await memories.forget(filter);
  return [message, ...(only ? hashes.slice(0, 5) : [])].join('\n');
}

/** The 18 tools, in their order. */
export const SERVICE_TOOLS: readonly ServiceTool[] = [
  {
    name: 'memory_store',
    right: 'write',
    description: 'Store a memory. Tags and type may be in metadata.',
    arguments: { content: TEXT, conversation_id: TEXT, metadata: OBJECT, client_hostname: TEXT },
    required: ['content'],
    async run(memories, args) {
      const { message, near_duplicates } = await memories.store(toStore(args));
      return [message, ...near_duplicates.map(({ content_hash }) => `Nearly the same: ${content_hash}`)].join('\n');
    },
  },
  {
    name: 'memory_store_session',
    right: 'write',
    description: 'Store a conversation, found by its turns.',
    arguments: { turns: TURNS, session_id: TEXT, tags: TAGS, metadata: OBJECT },
    required: ['turns'],
    async run(memories, args) {
      const { session_id, tags, metadata } = args;
      const session = { turns: turnsOf(args), ...given({ session_id, tags, metadata }) };
      return (await memories.storeSession(session as never)).message;
    },
  },
  {
    name: 'memory_search',
    right: 'read',
    description: 'Search memories: semantic, exact or hybrid, with tags and time words.',
    arguments: SEARCH_ARGUMENTS,
    run: searchService,
  },
  {
    name: 'memory_list',
    right: 'read',
    description: 'List memories, newest first.',
    arguments: {
      page: wholeFrom1(),
      page_size: wholeFrom1(100, 20),
      tags: TAGS,
      tag_match: TAG_MATCH,
      memory_type: TEXT,
      stale_days: wholeFrom1(),
      min_certainty: SHARE,
    },
    async run(memories, args) {
      const { page, page_size, memory_type, stale_days, min_certainty } = args;
      const tags = { tags: tagsOf(args), tag_match: tagMatchOf(args) };
      const found = await memories.list(given({ page, page_size, memory_type, stale_days, min_certainty, ...tags }));
      return jsonText({ ...found, memories: found.memories.map(toServiceMemory) });
    },
  },
  {
    name: 'memory_delete',
    right: 'write',
    description: 'Delete by hash, or by tags and time. Needs one of them.',
    arguments: {
      content_hash: TEXT,
      tags: TAGS,
      tag_match: TAG_MATCH,
      before: DATE,
      after: DATE,
      dry_run: YES_NO,
    },
    run: (memories, args) => forgetService(memories, { ...args, before: dayBegins(args.before) }),
  },
  {
    name: 'memory_update',
    right: 'write',
    description: 'Change tags, type and metadata, or with versioned the content.',
    arguments: { content_hash: TEXT, updates: OBJECT, preserve_timestamps: YES_NO, versioned: YES_NO },
    required: ['content_hash', 'updates'],
    async run(memories, args) {
      const { message, superseded } = await memories.update(needed(args, 'content_hash'), toChanges(args));
      return superseded === null ? message : `${message}\nParent: ${superseded.content_hash}`;
    },
  },
  {
    name: 'memory_cleanup',
    right: 'write',
    description: 'Remove duplicates.',
    arguments: {},
    run: async () =>
      'Removed 0 duplicates: an exact duplicate is never stored. `dowser memory audit` names near duplicates.',
  },
  {
    name: 'memory_health',
    right: 'read',
    description: 'Whether memories can be stored and found.',
    arguments: {},
    run: async (memories) => jsonText(await healthOf(memories)),
  },
  {
    name: 'memory_stats',
    right: 'read',
    description: 'Count memories by tag, type and source.',
    arguments: {},
    run: async (memories) => jsonText(await memories.counts()),
  },
  {
    name: 'memory_conflicts',
    right: 'read',
    description: 'List memories that seem to contradict each other.',
    arguments: {},
    async run(memories) {
      const { contradictions } = await memories.audit();
      if (contradictions.length === 0) return 'No conflicts found';
      return contradictions.map(({ a, b, differs }) => `${a} and ${b} differ in ${differs.join(', ')}`).join('\n');
    },
  },
  {
    name: 'memory_resolve',
    right: 'write',
    description: 'Resolve a conflict: the winner supersedes the loser.',
    arguments: { winner_hash: TEXT, loser_hash: TEXT },
    required: ['winner_hash', 'loser_hash'],
    async run(memories, args) {
      const by = needed(args, 'winner_hash');
      return (await memories.supersede(needed(args, 'loser_hash'), { by, reason: 'conflict resolved' })).message;
    },
  },
  {
    name: 'mistake_note_add',
    right: 'write',
    description: 'Note a mistake and what to do instead.',
    arguments: { error_pattern: TEXT, context_signature: TEXT, incorrect_action: TEXT, correct_action: TEXT },
    required: ['error_pattern', 'context_signature', 'incorrect_action', 'correct_action'],
    run: addMistakeNote,
  },
  {
    name: 'mistake_note_search',
    right: 'read',
    description: 'Search mistake notes.',
    arguments: { query: TEXT, limit: wholeFrom1(MAX_MEMORY_RESULTS, 5) },
    required: ['query'],
    run: searchMistakeNotes,
  },
  {
    name: 'memory_graph',
    right: 'read',
    description:
      'Follow relations between memories: connected, path, subgraph. infer and suggest name likely ones and store nothing.',
    arguments: {
      action: { type: 'string', enum: [...GRAPH_ACTIONS] },
      hash: TEXT,
      hash1: TEXT,
      hash2: TEXT,
      max_hops: wholeFrom1(10, 2),
      max_depth: wholeFrom1(20, 5),
      radius: wholeFrom1(10, 2),
      rel_type: { type: 'string', enum: [...MEMORY_RELATIONS] },
    },
    required: ['action'],
    run: graphService,
  },
  {
    name: 'memory_ingest',
    right: 'write',
    description: 'Store a file, or the files of a folder, as memories. Only where the server runs on your machine.',
    arguments: {
      file_path: TEXT,
      directory_path: TEXT,
      tags: TAGS,
      chunk_size: { type: 'integer', minimum: MIN_CHUNK_CHARS, default: DEFAULT_CHUNK_SIZE },
      chunk_overlap: { type: 'integer', minimum: 0, default: DEFAULT_CHUNK_OVERLAP },
      memory_type: TEXT,
      recursive: YES_NO,
      file_extensions: TAGS,
      max_files: wholeFrom1(1000, 100),
    },
    run: (memories, args, files = null) => ingestService(memories, args, files),
  },
  ...Object.entries(NOT_OFFERED).map(([name, why]) => ({
    name,
    right: 'read' as const,
    description: `Not offered. ${why}`,
    arguments: {},
    run: async () => `Not offered: ${why}`,
  })),
];

export async function healthOf(memories: Memories) {
  const { total, superseded, deleted } = await memories.counts();
  return { status: 'healthy', backend: 'dowser', total_memories: total, superseded, deleted };
}

/** A note is a memory. The same note again raises its count. */
async function addMistakeNote(memories: Memories, args: ServiceArguments): Promise<string> {
  const content = [
    `Error: ${needed(args, 'error_pattern')}`,
    `Context: ${needed(args, 'context_signature')}`,
    `Wrong: ${needed(args, 'incorrect_action')}`,
    `Right: ${needed(args, 'correct_action')}`,
  ].join('\n');
  const stored = await memories.store({ content, memory_type: TYPE, count_as: COUNT });
  const said = stored.duplicate ? `Noted again (hash: ${stored.content_hash})` : stored.message;
  return `${said}, ${COUNT}: ${stored.memory.metadata[COUNT]}`;
}

async function searchMistakeNotes(memories: Memories, args: ServiceArguments): Promise<string> {
  const limit = Number(limitOf(args, 5));
  return foundText(await memories.search({ query: needed(args, 'query'), memory_type: TYPE, limit }));
}
