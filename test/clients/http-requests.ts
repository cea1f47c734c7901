import { expect } from 'vitest';

/** A request as a client sends it, and what it reads of the answer. `$hash` is the hash of the first stored memory. */
export interface ClientRequest {
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly status?: number;
  readonly answer: unknown;
}

const MEMORY = {
  content: expect.any(String),
  content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  tags: expect.any(Array),
  metadata: expect.any(Object),
  created_at: expect.any(Number),
  created_at_iso: expect.stringMatching(/^\d{4}-/),
  updated_at: expect.any(Number),
};
const RESULT = { memory: MEMORY, similarity_score: expect.any(Number) };
const FOUND = {
  results: [RESULT],
  total_found: 1,
  processing_time_ms: expect.any(Number),
  search_type: expect.any(String),
};

const HOOKS = 'claude-hooks over HTTP';
const RECIPE = 'agent framework recipes';
const GUIDES = 'documented routes that its source lacks';
const WEB = 'web page';

/** In this order, on one server. */
export const HTTP_REQUESTS: readonly ClientRequest[] = [
  { client: HOOKS, method: 'GET', path: '/api/health', answer: { status: 'healthy' } },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/memories',
    body: {
      content: "We chose PostgreSQL for the team's ledger",
      tags: ['decision', 'Database'],
      memory_type: 'decision',
      metadata: { project: 'ledger' },
      client_hostname: 'laptop',
    },
    answer: {
      success: true,
      message: expect.stringMatching(/\(hash: [0-9a-f]{64}\)/),
      content_hash: MEMORY.content_hash,
      memory: { ...MEMORY, tags: ['decision', 'database'], metadata: { project: 'ledger', hostname: 'laptop' } },
    },
  },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/memories',
    body: { content: "we chose postgresql for the team's ledger" },
    answer: { success: false, duplicate: true },
  },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/search',
    body: { query: 'which database for the ledger', n_results: 5, similarity_threshold: 0.1 },
    answer: FOUND,
  },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/search/by-tag',
    body: { tags: ['decision', 'unknown'], match_all: false, limit: 5, query: '' },
    answer: FOUND,
  },
  { client: HOOKS, method: 'POST', path: '/api/search/by-time', body: { query: 'today', n_results: 3 }, answer: FOUND },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/search/by-time',
    body: { query: 'last year', semantic_query: 'ledger' },
    answer: { results: [], total_found: 0 },
  },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/search/by-time',
    body: { query: 'purple' },
    status: 400,
    answer: { detail: expect.stringContaining('no time') },
  },
  {
    client: RECIPE,
    method: 'POST',
    path: '/api/memories',
    headers: { 'X-Agent-ID': 'researcher' },
    body: { content: 'The tide tables are in the harbor office', tags: 'tide' },
    answer: { success: true, memory: { tags: ['tide', 'agent:researcher'] } },
  },
  {
    client: GUIDES,
    method: 'POST',
    path: '/api/memories/search',
    body: { query: 'tide tables', limit: 1, tags: ['agent:researcher'] },
    answer: { memories: [{ ...MEMORY, tags: ['tide', 'agent:researcher'] }] },
  },
  { client: GUIDES, method: 'GET', path: '/api/memories?tags=tide,nothing', answer: { memories: [MEMORY], total: 1 } },
  {
    client: GUIDES,
    method: 'PATCH',
    path: '/api/memories/$hash',
    body: { tags: ['decision', 'storage'] },
    answer: { success: true, memory: { tags: ['decision', 'storage'] } },
  },
  {
    client: GUIDES,
    method: 'GET',
    path: '/api/memories/tags',
    answer: { tags: expect.arrayContaining([{ tag: 'tide', count: 1 }]) },
  },
  { client: GUIDES, method: 'GET', path: '/api/stats', answer: { total_memories: 2 } },
  { client: GUIDES, method: 'GET', path: '/api/memory-stats', answer: { total_memories: 2 } },
  {
    client: GUIDES,
    method: 'POST',
    path: '/api/consolidation/run',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered: /) },
  },
  {
    client: GUIDES,
    method: 'POST',
    path: '/api/search/by-tag',
    body: { tags: [] },
    status: 400,
    answer: { detail: expect.stringContaining("'tags' is []") },
  },
  {
    client: GUIDES,
    method: 'POST',
    path: '/api/graph/associations',
    body: { source_hash: '$hash', target_hash: '$hash', relationship_type: 'supports' },
    answer: { success: true, relationship_type: 'RELATED_TO' },
  },
  {
    client: HOOKS,
    method: 'POST',
    path: '/api/search/by-time',
    body: { query: 'yesterday in the morning', n_results: 3 },
    answer: { results: [], total_found: 0 },
  },
  {
    client: GUIDES,
    method: 'GET',
    path: '/api/graph/associations/$hash',
    answer: { success: true, associations: expect.any(Array), count: expect.any(Number) },
  },
  {
    client: WEB,
    method: 'GET',
    path: '/api/memories?page=1&page_size=1&tag=decision,tide&tag_match=any',
    answer: { memories: [MEMORY], total: 2, page: 1, page_size: 1, has_more: true },
  },
  { client: WEB, method: 'GET', path: '/api/memories/$hash', answer: MEMORY },
  {
    client: WEB,
    method: 'PUT',
    path: '/api/memories/$hash',
    body: { tags: ['final'], memory_type: 'note', metadata: { checked: true } },
    answer: { success: true, content_hash: MEMORY.content_hash, memory: { memory_type: 'note', tags: ['final'] } },
  },
  {
    client: WEB,
    method: 'GET',
    path: '/api/search/similar/$hash?n_results=3',
    answer: { results: [RESULT], search_type: 'similar' },
  },
  { client: WEB, method: 'GET', path: '/api/tags', answer: { tags: expect.any(Array) } },
  { client: WEB, method: 'GET', path: '/api/types', answer: ['note'] },
  {
    client: WEB,
    method: 'GET',
    path: '/api/health/detailed',
    answer: { status: 'healthy', statistics: { total_memories: 2 } },
  },
  {
    client: WEB,
    method: 'POST',
    path: '/api/sessions',
    body: { turns: [{ role: 'user', content: 'The ferry leaves at nine' }], session_id: 'day-1', tags: ['travel'] },
    answer: {
      success: true,
      session_id: 'day-1',
      turn_count: 1,
      content_hash: MEMORY.content_hash,
      message: expect.any(String),
    },
  },
  { client: WEB, method: 'GET', path: '/api/conflicts', answer: { conflicts: [], total: 0 } },
  {
    client: WEB,
    method: 'POST',
    path: '/api/manage/bulk-delete',
    body: {},
    status: 422,
    answer: { detail: expect.stringContaining('The request does not say which memories to forget') },
  },
  {
    client: WEB,
    method: 'POST',
    path: '/api/manage/bulk-delete',
    body: { tag: 'travel' },
    answer: { success: true, affected_count: 1 },
  },
  {
    client: WEB,
    method: 'GET',
    path: '/api/consolidation/status',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered/) },
  },
  {
    client: WEB,
    method: 'GET',
    path: '/api/quality/memories/abc',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered/) },
  },
  {
    client: WEB,
    method: 'GET',
    path: '/api/analytics/tag-usage',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered/) },
  },
  {
    client: WEB,
    method: 'POST',
    path: '/api/backup/now',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered/) },
  },
  {
    client: WEB,
    method: 'GET',
    path: '/api/sync/status',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered/) },
  },
  {
    client: WEB,
    method: 'PUT',
    path: '/api/manage/tags/old',
    status: 501,
    answer: { detail: expect.stringMatching(/^Not offered/) },
  },
  { client: WEB, method: 'POST', path: '/api/manage/cleanup-duplicates', answer: { affected_count: 0 } },
  { client: WEB, method: 'GET', path: '/api/manage/untagged/count', answer: { count: expect.any(Number) } },
  { client: WEB, method: 'GET', path: '/api/manage/tags/stats', answer: { tags: expect.any(Array) } },
  {
    client: WEB,
    method: 'DELETE',
    path: '/api/memories/$hash',
    answer: { success: true, message: expect.any(String) },
  },
  { client: WEB, method: 'GET', path: '/api/memories/$hash', status: 404, answer: { detail: expect.any(String) } },
  { client: WEB, method: 'GET', path: '/api/memories/nonsense', status: 422, answer: { detail: expect.any(String) } },
];
