import type { FoundMemory } from '../../memories/contract/memory-answers.ts';
import { MAX_MEMORY_RESULTS, type SearchMemories } from '../../memories/contract/memory-requests.ts';
import { MAX_TAG_CHARS, MAX_TAGS } from '../../memories/contract/tags-field.ts';
import { successorsFirst } from '../../memories/find/successors-first.ts';
import type { Memories } from '../../memories/memories.ts';
import { foundText, similarityOf } from './service-answers.ts';
import { given, limitOf, notOfferedIn, type ServiceArguments, tagMatchOf, tagsOf } from './service-arguments.ts';

/** Fewer good results than this are few. */
const FEW = 3;
const GOOD_SCORE = 0.4;
const DEFAULT_LIMIT = 10;

/** With `fallback`, a search with few good results also looks for the exact text, then for the words as tags. */
export async function searchService(memories: Memories, args: ServiceArguments): Promise<string> {
  const mode = args.mode ?? 'semantic';
  const notOffered = notOfferedIn(args);
  const asked = given({
    query: args.query,
    mode,
    limit: limitOf(args, DEFAULT_LIMIT),
    time_expr: args.time_expr,
    after: args.after,
    before: args.before,
    tags: tagsOf(args),
    tag_match: tagMatchOf(args),
    include_debug: args.include_debug,
    max_response_chars: args.max_response_chars,
    include_superseded: args.include_superseded,
    min_certainty: args.min_certainty,
  }) as SearchMemories;
  // The text has more than the contents, and is cut as a whole.
  const maxChars = asked.max_response_chars;
  const found = await memories.search({ ...asked, ...(maxChars === undefined ? {} : checkedOnly(maxChars)) });
  const warnings = [...found.warnings, ...notOffered];
  const good = found.memories.filter((memory) => similarityOf(memory) >= GOOD_SCORE);
  if (args.fallback !== true || mode === 'exact' || good.length >= FEW)
    return foundText({ ...found, warnings }, maxChars);
  const list = await withFallback(memories, asked, found.memories);
  return foundText({ ...found, warnings, mode: `${mode} with fallback`, memories: list }, maxChars);
}

/** A limit is checked by the search, and kept by the text. */
const checkedOnly = (maxChars: number) => ({
  max_response_chars: typeof maxChars === 'number' && maxChars >= 1 ? Number.MAX_SAFE_INTEGER : maxChars,
});

/** The filters and the limit of the request hold for every way in. */
async function withFallback(
  memories: Memories,
  { max_response_chars: _chars, ...asked }: SearchMemories,
  found: readonly FoundMemory[],
): Promise<FoundMemory[]> {
  const exact = await memories.search({ ...asked, mode: 'exact' });
  const methods = [
    ['semantic', found],
    ['exact_fallback', exact.memories],
    ['tag_fallback', await byWordsAsTags(memories, asked)],
  ] as const;
  const all = methods.flatMap(([method, list]) =>
    list.map((memory) => ({ ...memory, debug_info: { ...memory.debug_info, match_method: method } })),
  );
  const distinct = [...new Map(all.toReversed().map((memory) => [memory.content_hash, memory])).values()].toReversed();
  const ordered = await successorsFirst(distinct, (hash) => memories.get(hash).catch(() => null));
  return ordered.slice(0, asked.limit);
}

/** Memories with a word of the query as a tag. Tags that the request filters by stay a filter. */
async function byWordsAsTags(memories: Memories, asked: SearchMemories): Promise<readonly FoundMemory[]> {
  const words = (asked.query ?? '').toLowerCase().split(/\s+/);
  const tags = [...new Set(words)].filter((word) => word !== '' && word.length <= MAX_TAG_CHARS).slice(0, MAX_TAGS);
  if (tags.length === 0) return [];
  if (asked.tags === undefined)
    return (await memories.search({ ...asked, query: '', tags, tag_match: 'any' })).memories;
  const filtered = await memories.search({ ...asked, query: '', limit: MAX_MEMORY_RESULTS });
  return filtered.memories.filter((memory) => memory.tags.some((tag) => tags.includes(tag)));
}
