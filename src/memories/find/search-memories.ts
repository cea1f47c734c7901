import type { z } from 'zod';
import type { SearchResponse, SearchResult } from '../../model/answer/result.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { MAX_RESULTS, type SearchRequestInput } from '../../model/query/query.ts';
import type { EntityRecord, ScopedRegistry, ViewRow } from '../../registry/contract/registry.ts';
import type { FoundMemories, FoundMemory } from '../contract/memory-answers.ts';
import { type SearchMemories, searchMemoriesSchema } from '../contract/memory-requests.ts';
import { type MemoryEntity, toMemory } from '../contract/to-memory.ts';
import type { MemoryParts } from '../parts/memory-parts.ts';
import { type TimeRange, timeWordsIn } from '../time/time-words.ts';
import { type Asked, allTags, filterRows, type RowQuery, toMemoryFilter } from './filter-rows.ts';
import { fitChars } from './fit-chars.ts';
import { debugInfo, toFound } from './found-memory.ts';
import { timesOf } from './list-memories.ts';

/** Read at a time, so that other requests are answered in between. */
const BATCH = 200;

type Request = z.output<typeof searchMemoriesSchema>;

export async function searchMemories(parts: MemoryParts, input: SearchMemories): Promise<FoundMemories> {
  const asked = parseWith(searchMemoriesSchema, input, 'search request');
  checkWeights(asked);
  const now = parts.now();
  const said = asked.time_in_query ? await timeWordsIn(asked.query, now) : null;
  const request = said === null ? asked : { ...asked, query: said.rest };
  const times = said?.range ?? (await timesOf(asked, now));
  const scope = scopeOf(parts, request, times);
  const isList = request.query.trim() === '';
  const answer =
    isList || request.mode === 'exact' ? await byText(parts, request, scope) : await ranked(parts, request, scope);
  const { shown, omitted } = fitChars(answer.memories, request.max_response_chars);
  if (!isList)
    parts.recalls.note(
      shown.map(({ path }) => path),
      now,
    );
  parts.events.searched(parts.caller, { query: asked.query, search_type: request.mode, count: shown.length });
  return {
    ...answer,
    query: asked.query,
    mode: request.mode,
    memories: shown,
    total: shown.length + omitted,
    omitted,
    time_range: times,
  };
}

/** Which memories may be found. By default not what is superseded or no longer true. */
function scopeOf(parts: MemoryParts, request: Request, times: TimeRange | null): RowQuery {
  const { as_of, include_superseded } = request;
  const memory = toMemoryFilter(request, times, askedAt(parts, request));
  const isHistory = as_of !== undefined || include_superseded;
  return {
    memory: {
      ...memory,
      ...(as_of === undefined ? {} : { as_of }),
      ...(isHistory ? {} : { ends_after: parts.now().toISOString() }),
    },
    tags: allTags(request),
    withSuperseded: isHistory,
    withDeleted: false,
  };
}

type Answer = Omit<FoundMemories, 'query' | 'mode' | 'total' | 'omitted' | 'time_range'>;

/** Without a query the newest; in the mode `exact` those that contain the query as it stands. */
async function byText(parts: MemoryParts, request: Request, scope: RowQuery): Promise<Answer> {
  const rows = filterRows(await parts.registry.rows('memory'), scope);
  const found = await searchExact(parts.registry, rows, request.query.trim(), request.limit);
  const asked = askedAt(parts, request);
  const memories = found.map((record) => toFound(record, null, 1, asked));
  return { preset: null, search_mode: 'exact', memories, no_match: memories.length === 0, nearest: [], warnings: [] };
}

async function ranked(parts: MemoryParts, request: Request, scope: RowQuery): Promise<Answer> {
  const { asked, warnings } = toSearch(parts, request, scope);
  const answers = await pagesOf(parts, asked, request.limit);
  const first = answers[0]!;
  const results = answers.flatMap((answer) => answer.results);
  const memories = await readResults(parts, results, request, first);
  const nearest = await readResults(parts, first.nearest ?? [], request, first);
  return {
    preset: first.preset,
    search_mode: first.search_mode,
    memories,
    no_match: first.no_match,
    nearest,
    warnings: [...warnings, ...first.warnings],
  };
}

/** A page of the registry is shorter than the longest answer. */
async function pagesOf({ registry }: MemoryParts, asked: SearchRequestInput, limit: number): Promise<SearchResponse[]> {
  if (limit <= MAX_RESULTS) return [await registry.search({ ...asked, max_results: limit })];
  const first = await registry.search({ ...asked, max_results: MAX_RESULTS, offset: 0 });
  const rest = await registry.search({ ...asked, max_results: limit - MAX_RESULTS, offset: MAX_RESULTS });
  return [first, rest];
}

function toSearch({ settings }: MemoryParts, request: Request, scope: RowQuery) {
  const { query, min_confidence, include_debug } = request;
  const warnings: string[] = [];
  if (request.mode === 'hybrid' && !settings.hybrid)
    warnings.push('Hybrid search is switched off: results are by meaning only.');
  const isSemantic = request.mode === 'semantic' || !settings.hybrid;
  const fusion = request.fusion ?? settings.fusion;
  const preset = request.preset ?? (isSemantic ? 'vector' : fusion === 'rrf' ? 'memory-rrf' : 'memory');
  const weights = isSemantic ? undefined : weightsOf(request, settings);
  const asked: SearchRequestInput = {
    // `#` would be a tag: memories have their tags as a filter.
    query: query.replaceAll('#', ' ').trim(),
    entity_types: ['memory'],
    tags: [...scope.tags],
    include_draft: true,
    include_deprecated: scope.withSuperseded,
    memory: scope.memory,
    preset,
    explain: include_debug,
    ...(weights === undefined ? {} : { weights }),
    ...(min_confidence === undefined ? {} : { min_confidence }),
  };
  return { asked, warnings };
}

/** One weight alone leaves the rest of 1 to the other leg. */
function weightsOf({ keyword_weight, semantic_weight }: Request, settings: MemoryParts['settings']) {
  const isGiven = keyword_weight !== undefined || semantic_weight !== undefined;
  const keyword = isGiven ? keyword_weight : settings.keywordWeight;
  const semantic = isGiven ? semantic_weight : settings.semanticWeight;
  if (keyword === undefined && semantic === undefined) return undefined;
  return { keyword: keyword ?? 1 - semantic!, vector: semantic ?? 1 - keyword! };
}

function checkWeights({ keyword_weight, semantic_weight }: Request): void {
  if (keyword_weight !== 0 || semantic_weight !== 0) return;
  throw new DowserError('INVALID_REQUEST', "'keyword_weight' and 'semantic_weight' are both 0: one must be above 0.", {
    field: 'keyword_weight',
  });
}

/** A question about a time is asked at that time. */
function askedAt({ now, settings }: MemoryParts, { as_of }: Request): Asked {
  return {
    at: as_of === undefined ? now().getTime() : Date.parse(as_of),
    certaintyDays: settings.certaintyDays,
  };
}

/** The memories of results, each content once. */
async function readResults(
  parts: MemoryParts,
  results: readonly SearchResult[],
  request: Request,
  { preset }: SearchResponse,
): Promise<FoundMemory[]> {
  if (results.length === 0) return [];
  const asked = askedAt(parts, request);
  const records = await parts.registry.getMany(
    'memory',
    results.map(({ path }) => path),
  );
  const byPath = new Map(records.map((record) => [record.entity.path, record]));
  const seen = new Set<string>();
  return results.flatMap((result) => {
    const record = byPath.get(result.path);
    if (record === undefined || (record.entity as MemoryEntity).deleted_at !== undefined) return [];
    const { content_hash } = toMemory(record);
    if (seen.has(content_hash)) return [];
    seen.add(content_hash);
    const found = toFound(record, result, result.relevance_score, asked);
    return [request.include_debug ? { ...found, debug_info: debugInfo(result, preset) } : found];
  });
}

/** The first memories that contain a text as it stands, without case; every memory contains ''. */
async function searchExact(
  registry: ScopedRegistry,
  rows: readonly ViewRow[],
  text: string,
  limit: number,
): Promise<readonly EntityRecord[]> {
  const wanted = text.toLowerCase();
  const found: EntityRecord[] = [];
  for (let at = 0; at < rows.length && found.length < limit; at += BATCH) {
    const paths = rows.slice(at, at + (wanted === '' ? limit - found.length : BATCH)).map(({ path }) => path);
    for (const record of await registry.getMany('memory', paths)) {
      const { content } = record.entity as MemoryEntity;
      if (found.length < limit && content.toLowerCase().includes(wanted)) found.push(record);
    }
  }
  return found;
}
