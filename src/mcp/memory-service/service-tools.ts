import type { Memories } from '../../memories/memories.ts';
import type { SearchMemories } from '../../memories/memory-requests.ts';
import { successorsFirst } from '../../memories/successors-first.ts';
import { isJsonObject } from '../../model/json-object.ts';
import { addMistakeNote, searchMistakeNotes } from './mistake-notes.ts';
import { foundText, jsonText, NOT_OFFERED, toServiceMemory } from './service-answers.ts';
import {
  given,
  limitOf,
  needed,
  notOfferedIn,
  type ServiceArguments,
  tagMatchOf,
  tagsOf,
  toStore,
} from './service-arguments.ts';

/** A tool of the memory service, with its name, arguments and text answer. */
export interface ServiceTool {
  readonly name: string;
  /** The scope that its caller needs. */
  readonly right: 'read' | 'write';
  readonly description: string;
  /** Argument names with their JSON types; those with `!` are required. */
  readonly arguments: Readonly<Record<string, string>>;
  run(memories: Memories, args: ServiceArguments): Promise<string>;
}

const SEARCH_ARGUMENTS = {
  query: 'string',
  mode: 'string',
  time_expr: 'string',
  after: 'string',
  before: 'string',
  tags: 'array',
  tag_match: 'string',
  limit: 'integer',
  include_debug: 'boolean',
  max_response_chars: 'integer',
  include_superseded: 'boolean',
  fallback: 'boolean',
  quality_boost: 'number',
  entity: 'string',
};

/** Fewer good results than this are few. */
const FEW = 3;
const GOOD_SCORE = 0.4;

/** With `fallback`, a search with few good results also looks for the exact text, then for the words as tags. */
export async function searchService(memories: Memories, args: ServiceArguments): Promise<string> {
  const mode = args.mode ?? 'semantic';
  const notOffered = notOfferedIn(args);
  const asked = given({
    query: args.query,
    mode,
    limit: limitOf(args, 10),
    time_expr: args.time_expr,
    after: args.after,
    before: args.before,
    tags: tagsOf(args),
    tag_match: tagMatchOf(args),
    include_debug: args.include_debug,
    max_response_chars: args.max_response_chars,
    include_superseded: args.include_superseded,
  }) as SearchMemories;
  const answer = await memories.search(asked);
  const found = { ...answer, warnings: [...answer.warnings, ...notOffered] };
  const good = found.memories.filter(
    ({ similarity_score, confidence }) => (similarity_score ?? confidence) >= GOOD_SCORE,
  );
  if (args.fallback !== true || mode === 'exact' || good.length >= FEW) return foundText(found);
  const words = (asked.query ?? '').split(/\s+/).filter((word) => word !== '');
  const exact = await memories.search({ ...asked, mode: 'exact' });
  const tagged = await memories.search({ ...asked, query: '', tags: words, tag_match: 'any' });
  const methods = [
    ['semantic', found],
    ['exact_fallback', exact],
    ['tag_fallback', tagged],
  ] as const;
  const all = methods.flatMap(([method, answer]) =>
    answer.memories.map((memory) => ({ ...memory, debug_info: { ...memory.debug_info, match_method: method } })),
  );
  const distinct = [...new Map(all.toReversed().map((memory) => [memory.content_hash, memory])).values()].toReversed();
  const ordered = await successorsFirst(distinct, (hash) => memories.get(hash).catch(() => null));
  return foundText({ ...found, mode: `${mode} with fallback`, memories: [...ordered] });
}

function toChanges({ updates }: ServiceArguments): Record<string, unknown> {
  const { tags, memory_type, metadata, content, ...rest } = isJsonObject(updates) ? updates : {};
  const kept = { ...(isJsonObject(metadata) ? metadata : {}), ...rest };
  return given({ tags, memory_type, content, metadata: Object.keys(kept).length === 0 ? undefined : kept });
}

/** The 18 tools, in their order. */
export const SERVICE_TOOLS: readonly ServiceTool[] = [
  {
    name: 'memory_store',
    right: 'write',
    description: 'Store a memory. Tags and type may be in metadata.',
    arguments: { content: 'string!', conversation_id: 'string', metadata: 'object', client_hostname: 'string' },
    async run(memories, args) {
      const { message, near_duplicates } = await memories.store(toStore(args));
      return [message, ...near_duplicates.map(({ content_hash }) => `Nearly the same: ${content_hash}`)].join('\n');
    },
  },
  {
    name: 'memory_store_session',
    right: 'write',
    description: 'Store a conversation, found by its turns.',
    arguments: { turns: 'array!', session_id: 'string', tags: 'array', metadata: 'object' },
    async run(memories, { turns, session_id, tags, metadata }) {
      const { message } = await memories.storeSession({ turns, ...given({ session_id, tags, metadata }) } as never);
      return message;
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
      page: 'integer',
      page_size: 'integer',
      tags: 'array',
      tag_match: 'string',
      memory_type: 'string',
      stale_days: 'integer',
    },
    async run(memories, args) {
      const { page, page_size, memory_type, stale_days } = args;
      const found = await memories.list(
        given({ page, page_size, memory_type, stale_days, tags: tagsOf(args), tag_match: tagMatchOf(args) }),
      );
      return jsonText({ ...found, memories: found.memories.map(toServiceMemory) });
    },
  },
  {
    name: 'memory_delete',
    right: 'write',
    description: 'Delete by hash, or by tags and time. Needs one of them.',
    arguments: {
      content_hash: 'string',
      tags: 'array',
      tag_match: 'string',
      before: 'string',
      after: 'string',
      dry_run: 'boolean',
    },
    async run(memories, args) {
      const { content_hash, before, after, dry_run } = args;
      const filter = given({ content_hash, before, after, dry_run, tags: tagsOf(args), tag_match: tagMatchOf(args) });
      const { message, hashes, dry_run: only } = await memories.forget(filter);
      return [message, ...(only ? hashes.slice(0, 5) : [])].join('\n');
    },
  },
  {
    name: 'memory_update',
    right: 'write',
    description: 'Change tags, type and metadata, or with versioned the content.',
    arguments: { content_hash: 'string!', updates: 'object!', preserve_timestamps: 'boolean', versioned: 'boolean' },
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
    arguments: { winner_hash: 'string!', loser_hash: 'string!' },
    async run(memories, args) {
      const by = needed(args, 'winner_hash');
      return (await memories.supersede(needed(args, 'loser_hash'), { by, reason: 'conflict resolved' })).message;
    },
  },
  {
    name: 'mistake_note_add',
    right: 'write',
    description: 'Note a mistake and what to do instead.',
    arguments: {
      error_pattern: 'string!',
      context_signature: 'string!',
      incorrect_action: 'string!',
      correct_action: 'string!',
    },
    run: addMistakeNote,
  },
  {
    name: 'mistake_note_search',
    right: 'read',
    description: 'Search mistake notes.',
    arguments: { query: 'string!', limit: 'integer' },
    run: searchMistakeNotes,
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
