import type { Memories } from '../../memories/memories.ts';
import { jsonText, similarityOf, toServiceMemory } from './service-answers.ts';
import { given, limitOf, needed, neededTags, type ServiceArguments, tagMatchOf, toStore } from './service-arguments.ts';
import { forgetService, healthOf, SERVICE_TOOLS, type ServiceTool } from './service-tools.ts';

type Run = ServiceTool['run'];
type OldTool = Pick<ServiceTool, 'right' | 'run'>;

const service = (name: string): OldTool => SERVICE_TOOLS.find((one) => one.name === name)!;
const reading = (run: Run): OldTool => ({ right: 'read', run });
const writing = (run: Run): OldTool => ({ right: 'write', run });

/** Calls a tool with other arguments. */
function as(name: string, to: (args: ServiceArguments) => ServiceArguments): OldTool {
  const { right, run } = service(name);
  return { right, run: (memories, args, files) => run(memories, to(args), files) };
}

/** Memories with every name that one of the three surfaces has for the list and its length. */
async function found(memories: Memories, args: ServiceArguments, more: Record<string, unknown>): Promise<string> {
  const { similarity_threshold } = args;
  const asked = { mode: 'semantic', limit: limitOf(args, 5), max_response_chars: args.max_response_chars, ...more };
  const answer = await memories.search(given(asked));
  const least = typeof similarity_threshold === 'number' ? similarity_threshold : 0;
  const list = answer.memories
    .map((memory) => ({ ...toServiceMemory(memory), similarity_score: similarityOf(memory) }))
    .filter((memory) => memory.similarity_score >= least);
  const count = list.length;
  return jsonText({ memories: list, results: list, query: answer.query, count, total_found: count, total: count });
}

async function tagged(memories: Memories, args: ServiceArguments, match: 'any' | 'all'): Promise<string> {
  const page = await memories.list(
    given({ tags: neededTags(args), tag_match: tagMatchOf(args, match), page_size: 100 }),
  );
  const list = page.memories.map(toServiceMemory);
  return jsonText({ memories: list, results: list, count: list.length, total_found: page.total });
}

const range = ({ start_date, end_date }: ServiceArguments) => ({ after: start_date, before: end_date });
const consolidate = service('memory_consolidate');

/** Names of older versions and of the other two surfaces. They are not listed, but can be called. */
export const OLD_NAMES: Readonly<Record<string, OldTool>> = {
  store_memory: writing(async (memories, args) => {
    const { success, message, content_hash } = await memories.store(toStore(args));
    return jsonText({ success, message, content_hash });
  }),
  retrieve_memory: reading((memories, args) => found(memories, args, { query: needed(args, 'query') })),
  recall_memory: reading((memories, args) =>
    found(memories, args, { query: needed(args, 'query'), time_in_query: true }),
  ),
  recall_by_timeframe: reading((memories, args) => found(memories, args, { query: '', ...range(args) })),
  retrieve_with_quality_boost: reading((memories, args) =>
    found(memories, args, { query: needed(args, 'query'), mode: 'hybrid', limit: limitOf(args, 10) }),
  ),
  exact_match_retrieve: reading((memories, args) =>
    found(memories, args, { query: needed(args, 'content'), mode: 'exact' }),
  ),
  debug_retrieve: as('memory_search', (args) => ({ ...args, limit: limitOf(args, 5), include_debug: true })),
  search_by_tag: reading((memories, args) => tagged(memories, args, args.operation === undefined ? 'any' : 'all')),
  delete_memory: writing(async (memories, args) => {
    const { message, count } = await memories.forget({ content_hash: needed(args, 'content_hash') });
    return jsonText({ success: count > 0, message, content_hash: args.content_hash });
  }),
  delete_by_tag: service('memory_delete'),
  delete_by_tags: service('memory_delete'),
  delete_by_all_tags: as('memory_delete', (args) => ({ ...args, tag_match: 'all' })),
  delete_by_timeframe: writing((memories, args) => forgetService(memories, { ...range(args), tag: args.tag })),
  delete_before_date: as('memory_delete', (args) => ({ before: args.before_date, tag: args.tag })),
  list_memories: service('memory_list'),
  update_memory_metadata: service('memory_update'),
  cleanup_duplicates: service('memory_cleanup'),
  check_database_health: reading(async (memories) => jsonText(await healthOf(memories))),
  get_cache_stats: reading(async (memories) => jsonText(await healthOf(memories))),
  consolidate_memories: consolidate,
  consolidation_status: consolidate,
  consolidation_recommendations: consolidate,
  scheduler_status: consolidate,
  trigger_consolidation: consolidate,
  pause_consolidation: consolidate,
  resume_consolidation: consolidate,
  ingest_document: service('memory_ingest'),
  ingest_directory: service('memory_ingest'),
  rate_memory: service('memory_quality'),
  get_memory_quality: service('memory_quality'),
  analyze_quality_distribution: service('memory_quality'),
  find_connected_memories: as('memory_graph', (args) => ({ ...args, action: 'connected' })),
  find_shortest_path: as('memory_graph', (args) => ({ ...args, action: 'path' })),
  get_memory_subgraph: as('memory_graph', (args) => ({ ...args, action: 'subgraph' })),
};
