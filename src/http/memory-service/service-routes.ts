import { associationsOf } from '../../mcp/memory-service/graph-service.ts';
import { similarityOf, toServiceMemory } from '../../mcp/memory-service/service-answers.ts';
import {
  dayBegins,
  given,
  limitOf,
  needed,
  neededTags,
  notOfferedIn,
  tagMatchOf,
  tagsOf,
  toStore,
  turnsOf,
} from '../../mcp/memory-service/service-arguments.ts';
import type { FoundMemories } from '../../memories/contract/memory-answers.ts';
import {
  MAX_MEMORY_QUERY_CHARS,
  MAX_MEMORY_RESULTS,
  type SearchMemories,
} from '../../memories/contract/memory-requests.ts';
import type { Memories } from '../../memories/memories.ts';
import { EDGE_TYPES } from '../../model/entity-parts/edge.ts';
import { REFUSED_ROUTES } from './refused-routes.ts';
import { type ServiceRequest, type ServiceRoute, TaggedAnswer } from './service-route.ts';
import { UPLOAD_ROUTES } from './upload-routes.ts';

const number = (value: unknown): unknown => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value);

function found(answer: FoundMemories, searchType: string) {
  const results = answer.memories.map((memory) => ({
    memory: toServiceMemory(memory),
    similarity_score: similarityOf(memory),
    relevance_reason: memory.match?.text ?? null,
  }));
  return {
    results,
    memories: results.map(({ memory, similarity_score }) => ({ ...memory, similarity_score })),
    total_found: results.length,
    query: answer.query,
    search_type: searchType,
  };
}

/** `X-Agent-ID` is an agent, and a tag that this agent's searches filter by. */
async function store(memories: Memories, { body, agent, hostname }: ServiceRequest) {
  const request = toStore({ ...body, client_hostname: body.client_hostname ?? hostname });
  const tags = (request.tags ?? []) as readonly unknown[];
  const byAgent = agent === undefined ? {} : { agent_id: agent, tags: [...tags, `agent:${agent}`] };
  const stored = await memories.store({ ...request, ...byAgent });
  return { ...stored, memory: toServiceMemory(stored.memory) };
}

async function list(memories: Memories, { query }: ServiceRequest) {
  const { page, page_size, memory_type, stale_days, min_certainty } = query;
  const found = await memories.list(
    given({
      page: number(page),
      page_size: number(page_size ?? 10),
      memory_type,
      stale_days: number(stale_days),
      min_certainty: number(min_certainty),
      tags: query.tag ?? query.tags,
      tag_match: tagMatchOf(query),
    }),
  );
  return { ...found, memories: found.memories.map(toServiceMemory) };
}

async function update(memories: Memories, { params, body }: ServiceRequest) {
  const { tags, memory_type, metadata, content } = body;
  const { success, message, content_hash, memory } = await memories.update(
    params.hash!,
    given({ tags, memory_type, metadata, content }),
  );
  return { success, message, content_hash, memory: toServiceMemory(memory) };
}

const search = async (memories: Memories, { body }: ServiceRequest) => {
  const { query, mode, similarity_threshold, min_certainty } = body;
  const notOffered = notOfferedIn(body);
  const limit = limitOf(body, 10);
  const asked = given({ query, mode, limit, min_certainty, tags: tagsOf(body), tag_match: tagMatchOf(body) });
  const answer = await (typeof similarity_threshold === 'number'
    ? searchAbove(memories, asked, similarity_threshold)
    : memories.search(asked));
  return { ...found(answer, String(mode ?? 'hybrid')), warnings: [...answer.warnings, ...notOffered] };
};

/** The threshold holds before the limit: the best by both legs are not always the most similar. */
async function searchAbove(memories: Memories, asked: SearchMemories, least: number): Promise<FoundMemories> {
  const answer = await memories.search(isResultCount(asked.limit) ? { ...asked, limit: MAX_MEMORY_RESULTS } : asked);
  const above = answer.memories.filter((memory) => similarityOf(memory) >= least);
  return { ...answer, memories: above.slice(0, asked.limit) };
}

/** Whether a search would take it as its limit. */
const isResultCount = (count: unknown): count is number =>
  Number.isInteger(count) && (count as number) >= 1 && (count as number) <= MAX_MEMORY_RESULTS;

export const counts = async (memories: Memories) => {
  const { total, tags, types, superseded, deleted } = await memories.counts();
  return { total_memories: total, unique_tags: tags.length, tags, types, superseded, deleted };
};

const tagCounts = async (memories: Memories) => ({ tags: (await memories.counts()).tags });

const read = (path: ServiceRoute['path'], summary: string, answer: ServiceRoute['answer']): ServiceRoute => {
  return { method: 'GET', path, right: 'read', summary, answer };
};

/** The routes of the memory service, and those that its guides name and it does not have. */
export const SERVICE_ROUTES: readonly ServiceRoute[] = [
  { method: 'POST', path: '/api/memories', right: 'write', summary: 'Store a memory', answer: store },
  { method: 'GET', path: '/api/memories', right: 'read', summary: 'List memories, newest first', answer: list },
  {
    method: 'POST',
    path: '/api/memories/search',
    right: 'read',
    summary: 'Search memories, as its guides describe it',
    answer: search,
  },
  read('/api/memories/tags', 'List tags, as its guides describe it', tagCounts),
  {
    method: 'GET',
    path: '/api/memories/{hash}',
    right: 'read',
    summary: 'Read a memory',
    async answer(memories, { params, tagOf }) {
      // Before the memory: the tag of a later write would let its reader overwrite that write.
      const headers = await tagOf(params.hash!);
      return new TaggedAnswer(toServiceMemory(await memories.get(params.hash!)), headers);
    },
  },
  {
    method: 'PUT',
    path: '/api/memories/{hash}',
    right: 'write',
    summary: 'Change tags, type and metadata',
    answer: update,
  },
  {
    method: 'PATCH',
    path: '/api/memories/{hash}',
    right: 'write',
    summary: 'The same, as its guides describe it',
    answer: update,
  },
  {
    method: 'DELETE',
    path: '/api/memories/{hash}',
    right: 'write',
    summary: 'Forget a memory',
    async answer(memories, { params }) {
      const { message } = await memories.forget({ content_hash: params.hash! });
      return { success: true, message, content_hash: params.hash };
    },
  },
  { method: 'POST', path: '/api/search', right: 'read', summary: 'Search memories', answer: search },
  {
    method: 'POST',
    path: '/api/search/by-tag',
    right: 'read',
    summary: 'Find memories by tag',
    async answer(memories, { body }) {
      const { time_filter, query } = body;
      const asked = given({
        query: query ?? '',
        tags: neededTags(body),
        tag_match: tagMatchOf(body),
        limit: limitOf(body, 100),
      });
      return found(await memories.search({ ...asked, ...given({ time_expr: time_filter }) }), 'tag');
    },
  },
  {
    method: 'POST',
    path: '/api/search/by-time',
    right: 'read',
    summary: 'Find memories by time words',
    async answer(memories, { body }) {
      const time_expr = needed(body, 'query');
      const asked = given({ query: body.semantic_query ?? '', time_expr, limit: limitOf(body, 10) });
      return found(await memories.search(asked), 'time');
    },
  },
  {
    method: 'GET',
    path: '/api/search/similar/{hash}',
    right: 'read',
    summary: 'Find memories like one',
    async answer(memories, { params, query }) {
      const { content, content_hash } = await memories.get(params.hash!);
      const limit = Number(number(query.n_results ?? 10));
      // One more: the memory finds itself.
      const asked = isResultCount(limit) ? Math.min(limit + 1, MAX_MEMORY_RESULTS) : limit;
      const text = content.slice(0, MAX_MEMORY_QUERY_CHARS);
      const answer = await memories.search({ query: text, mode: 'semantic', limit: asked });
      const others = answer.memories.filter((memory) => memory.content_hash !== content_hash).slice(0, limit);
      return found({ ...answer, query: content_hash, memories: others }, 'similar');
    },
  },
  {
    method: 'POST',
    path: '/api/sessions',
    right: 'write',
    summary: 'Store a conversation',
    async answer(memories, { body }) {
      const { session_id, tags, metadata } = body;
      const session = { turns: turnsOf(body), ...given({ session_id, tags, metadata }) };
      const stored = await memories.storeSession(session as never);
      const { memory: _memory, ...answer } = stored;
      return answer;
    },
  },
  read('/api/tags', 'List tags with counts', tagCounts),
  {
    method: 'GET',
    path: '/api/types',
    right: 'read',
    summary: 'List memory types',
    answer: async (memories) => (await memories.counts()).types.map(({ type }) => type),
  },
  {
    method: 'GET',
    path: '/api/health/detailed',
    right: 'read',
    summary: 'Counts of memories',
    answer: async (memories) => ({ status: 'healthy', statistics: await counts(memories) }),
  },
  read('/api/stats', 'Counts of memories, as its guides describe it', counts),
  read('/api/memory-stats', 'Counts of memories, as its guides describe it', counts),
  {
    method: 'GET',
    path: '/api/conflicts',
    right: 'read',
    summary: 'List memories that seem to contradict each other',
    async answer(memories) {
      const { contradictions } = await memories.audit();
      const conflicts = contradictions.map(({ a, b, similarity }) => ({ hash_a: a, hash_b: b, similarity }));
      return { conflicts, total: conflicts.length };
    },
  },
  {
    method: 'POST',
    path: '/api/conflicts/resolve',
    right: 'write',
    summary: 'Let the winner supersede the loser',
    async answer(memories, { body }) {
      const by = needed(body, 'winner_hash');
      const { success, message } = await memories.supersede(needed(body, 'loser_hash'), {
        by,
        reason: 'conflict resolved',
      });
      return { success, message };
    },
  },
  {
    method: 'POST',
    path: '/api/manage/bulk-delete',
    right: 'write',
    summary: 'Forget memories by tag, type or time',
    async answer(memories, { body }) {
      const { memory_type, before, after, before_date, after_date } = body;
      const filter = given({
        tags: tagsOf(body),
        tag_match: tagMatchOf(body),
        memory_type,
        before: dayBegins(before ?? before_date),
        after: after ?? after_date,
      });
      const { success, message, count } = await memories.forget(filter);
      return { success, message, affected_count: count };
    },
  },
  {
    method: 'GET',
    path: '/api/events',
    right: 'read',
    summary: 'Follow what is stored, forgotten and searched, as server-sent events',
    answer: async (_, { follow }) => follow(),
  },
  {
    method: 'GET',
    path: '/sse/events',
    right: 'read',
    summary: 'The same, as its guides describe it',
    answer: async (_, { follow }) => follow(),
  },
  {
    method: 'POST',
    path: '/api/manage/cleanup-duplicates',
    right: 'write',
    summary: 'Remove exact duplicates: there are none, they are never stored',
    answer: async () => ({ success: true, message: 'Removed 0 duplicates: none is ever stored.', affected_count: 0 }),
  },
  {
    method: 'GET',
    path: '/api/manage/untagged/count',
    right: 'read',
    summary: 'Count memories without tags',
    answer: async (memories) => ({ count: (await memories.counts()).untagged }),
  },
  {
    method: 'GET',
    path: '/api/manage/tags/stats',
    right: 'read',
    summary: 'List tags with counts',
    async answer(memories) {
      const { tags } = await memories.counts();
      return { tags, total_tags: tags.length };
    },
  },
  {
    method: 'GET',
    path: '/api/graph/associations/{hash}',
    right: 'read',
    summary: 'List the memories that one is related to',
    answer: (memories, { params }) => associationsOf(memories, params.hash!),
  },
  {
    method: 'POST',
    path: '/api/graph/associations',
    right: 'write',
    summary: 'Relate a memory to another',
    async answer(_, { body, relate }) {
      const source = needed(body, body.source_hash === undefined ? 'hash1' : 'source_hash');
      const target = needed(body, body.target_hash === undefined ? 'hash2' : 'target_hash');
      const asked = String(body.relationship_type ?? body.relationship ?? body.rel_type ?? '').toUpperCase();
      const type = EDGE_TYPES.find((known) => known === asked) ?? 'RELATED_TO';
      await relate(source, target, type);
      return { success: true, message: `${source} is related to ${target}: ${type}.`, relationship_type: type };
    },
  },
  ...UPLOAD_ROUTES,
  ...REFUSED_ROUTES,
];
