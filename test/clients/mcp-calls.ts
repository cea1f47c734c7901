import { expect } from 'vitest';

/** A call of a tool, and what a client looks for in the text of the answer. `$hash` is the hash of the first stored memory. */
export interface ClientCall {
  readonly client: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly text?: RegExp;
  /** Fields of the answer, where it is JSON. */
  readonly json?: object;
  readonly fails?: true;
}

const DESKTOP = 'desktop client, surface A';
const HOOKS = 'claude-hooks over stdio';
const FAST = 'surface B';
const CODE = 'surface C';

/** In this order, on one server. */
export const MCP_CALLS: readonly ClientCall[] = [
  { client: HOOKS, tool: 'check_database_health', arguments: {}, json: { status: 'healthy', total_memories: 0 } },
  {
    client: DESKTOP,
    tool: 'memory_store',
    arguments: {
      content: "It's the captain's boat: the Heron",
      metadata: { tags: 'boats, harbor', type: 'note', shade: 'blue' },
    },
    text: /\(hash: [0-9a-f]{64}\)/,
  },
  {
    client: DESKTOP,
    tool: 'memory_store',
    arguments: { content: "it's the captain's boat: the heron" },
    text: /Duplicate.*\(hash: /i,
  },
  { client: DESKTOP, tool: 'memory_store', arguments: {}, text: /'content' is nothing: must be text/, fails: true },
  {
    client: DESKTOP,
    tool: 'memory_search',
    arguments: { query: 'captain', mode: 'hybrid', limit: 5, quality_boost: 0.3, tags: ['boats'], include_debug: true },
    text: /^Found 1 memories \(mode: hybrid, query: captain\)[\s\S]*Hash: [0-9a-f]{64}\n {3}Created: .*Tags: boats, harbor[\s\S]*hybrid-bm25-vector/,
  },
  { client: DESKTOP, tool: 'memory_search', arguments: { query: 'boat', mode: 'fuzzy' }, text: /'mode'/, fails: true },
  { client: DESKTOP, tool: 'memory_search', arguments: { query: 'Heron', fallback: true }, text: /with fallback/ },
  {
    client: DESKTOP,
    tool: 'memory_search',
    arguments: { query: 'Heron', mode: 'exact', fallback: true },
    text: /mode: exact,/,
  },
  {
    client: DESKTOP,
    tool: 'memory_list',
    arguments: { page: 1, page_size: 20, memory_type: 'note' },
    json: { total: 1, page: 1, page_size: 20, has_more: false },
  },
  {
    client: DESKTOP,
    tool: 'memory_update',
    arguments: { content_hash: '$hash', updates: { tags: ['boats'], priority: 'high' }, preserve_timestamps: true },
    text: /Updated/,
  },
  {
    client: DESKTOP,
    tool: 'memory_update',
    arguments: { content_hash: '$hash', updates: { content: 'The captain sails the Tern' }, versioned: true },
    text: /superseded the old memory[\s\S]*Parent: [0-9a-f]{64}/,
  },
  {
    client: DESKTOP,
    tool: 'memory_store_session',
    arguments: { turns: [{ role: 'user', content: 'We sail on Friday' }], session_id: 's' },
    text: /session s with 1 turns/,
  },
  { client: DESKTOP, tool: 'memory_stats', arguments: {}, json: { total: 2, superseded: 1 } },
  { client: DESKTOP, tool: 'memory_health', arguments: {}, json: { status: 'healthy' } },
  { client: DESKTOP, tool: 'memory_cleanup', arguments: {}, text: /Removed 0 duplicates/ },
  { client: DESKTOP, tool: 'memory_conflicts', arguments: {}, text: /No conflicts/ },
  {
    client: DESKTOP,
    tool: 'mistake_note_add',
    arguments: { error_pattern: 'E1', context_signature: 'build', incorrect_action: 'retry', correct_action: 'clean' },
    text: /failure_count: 1/,
  },
  {
    client: DESKTOP,
    tool: 'mistake_note_add',
    arguments: { error_pattern: 'E1', context_signature: 'build', incorrect_action: 'retry', correct_action: 'clean' },
    text: /failure_count: 2/,
  },
  { client: DESKTOP, tool: 'mistake_note_search', arguments: { query: 'E1 build' }, text: /Right: clean/ },
  {
    client: DESKTOP,
    tool: 'memory_consolidate',
    arguments: { action: 'run', time_horizon: 'daily' },
    text: /^Not offered: /,
  },
  { client: DESKTOP, tool: 'memory_harvest', arguments: {}, text: /^Not offered: / },
  {
    client: DESKTOP,
    tool: 'memory_quality',
    arguments: { action: 'rate', content_hash: '$hash', rating: '1' },
    text: /^Not offered: /,
  },
  {
    client: DESKTOP,
    tool: 'memory_graph',
    arguments: { action: 'connected', hash: '$hash' },
    json: { success: true, connected: expect.any(Array), count: expect.any(Number) },
  },
  {
    client: DESKTOP,
    tool: 'memory_ingest',
    arguments: { file_path: '/etc/hosts' },
    fails: true,
    text: /does not read files of its own disk.*\/api\/documents\/upload/s,
  },
  {
    client: DESKTOP,
    tool: 'find_shortest_path',
    arguments: { hash1: '$hash', hash2: '$hash', max_depth: 5 },
    json: { success: true, path: [expect.any(String)], length: 1 },
  },
  {
    client: DESKTOP,
    tool: 'get_memory_subgraph',
    arguments: { hash: '$hash', radius: 2 },
    json: { nodes: expect.any(Array), edges: expect.any(Array), node_count: expect.any(Number) },
  },
  {
    client: HOOKS,
    tool: 'store_memory',
    arguments: { content: "The cook's knife is in the galley", metadata: { tags: ['galley'], type: 'note' } },
    json: { success: true },
  },
  {
    client: HOOKS,
    tool: 'retrieve_memory',
    arguments: { query: 'knife galley', n_results: 1 },
    json: { count: 1, total_found: 1 },
  },
  {
    client: HOOKS,
    tool: 'recall_memory',
    arguments: { query: 'what about the galley today', n_results: 5 },
    json: { query: 'what about the galley today' },
  },
  {
    client: FAST,
    tool: 'store_memory',
    arguments: { content: 'Rope is on deck', tags: ['deck', 'rope'], memory_type: 'note' },
    json: { success: true },
  },
  {
    client: FAST,
    tool: 'search_by_tag',
    arguments: { tags: ['deck', 'galley'], match_all: false },
    json: { count: 2 },
  },
  { client: FAST, tool: 'list_memories', arguments: { page: 1, page_size: 10, tag: 'deck' }, json: { total: 1 } },
  {
    client: CODE,
    tool: 'search_by_tag',
    arguments: { tags: ['deck', 'galley'], operation: 'AND' },
    json: { count: 0 },
  },
  {
    client: CODE,
    tool: 'retrieve_memory',
    arguments: { query: 'rope', limit: 10, similarity_threshold: 0.99 },
    json: { total_found: 0 },
  },
  { client: DESKTOP, tool: 'exact_match_retrieve', arguments: { content: 'rope is' }, json: { count: 1 } },
  {
    client: DESKTOP,
    tool: 'recall_by_timeframe',
    arguments: { start_date: '2020-01-01', end_date: '2020-12-31' },
    json: { count: 0 },
  },
  {
    client: DESKTOP,
    tool: 'memory_delete',
    arguments: {},
    text: /The request does not say which memories to forget/,
    fails: true,
  },
  {
    client: DESKTOP,
    tool: 'memory_delete',
    arguments: { tags: ['deck'], dry_run: true },
    text: /Would forget 1 memory\n[0-9a-f]{64}/,
  },
  { client: DESKTOP, tool: 'delete_by_all_tags', arguments: { tags: ['deck', 'rope'] }, text: /Forgot 1 memory/ },
  { client: CODE, tool: 'delete_memory', arguments: { content_hash: '$hash' }, json: { success: true } },
  { client: DESKTOP, tool: 'no_such_tool', arguments: {}, text: /There is no tool/, fails: true },
];
