import type { SearchResponse, SearchResult } from '../../model/answer/result.ts';
import { idOf } from '../../model/entity.ts';
import { chunkKey } from '../../model/entity-types/document.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { MAX_RESULTS, type SearchRequestInput } from '../../model/query/query.ts';
import { allCollections, findCollection, type NamedCollection } from '../collections/collection-record.ts';
import type { DocumentEntity, DocumentParts } from '../collections/document-parts.ts';
import type { FoundChunk, FoundChunks } from '../contract/document-answers.ts';
import { type Expand, type SearchDocuments, searchDocumentsSchema } from '../contract/document-requests.ts';
import { nearbyChunks } from './expand-chunks.ts';
import { type CollectionsByName, toChunk } from './to-chunk.ts';

const DEFAULT_PRESET = 'documents';

/** The one search of the registry, over the chunks of some collections. */
export async function searchDocuments(parts: DocumentParts, input: SearchDocuments): Promise<FoundChunks> {
  const request = parseWith(searchDocumentsSchema, input, 'search');
  const { registry } = parts;
  const asked = await collectionsOf(parts, request.collections);
  const { query, searches, intent, query_vector, preset = DEFAULT_PRESET, min_confidence, explain, limit } = request;
  const answer = await searchTo(registry, limit, {
    query,
    entity_types: ['document'],
    document: { collections: asked.map(({ name }) => name), chunks: true },
    explain,
    preset,
    ...(searches === undefined ? {} : { searches }),
    ...(intent === undefined ? {} : { intent }),
    ...(query_vector === undefined ? {} : { query_vector }),
    ...(min_confidence === undefined ? {} : { min_confidence }),
  });
  const documents = await documentsOf(parts, [...answer.results, ...(answer.nearest ?? [])]);
  const collections = new Map(asked.map((one) => [one.name, one]));
  const results = foundChunks(answer.results, documents, collections, request.expand);
  const stale = await staleOf(parts, asked);
  const changing = stale.map((name) => `${name} is being scanned: its files have changed, and results may be stale.`);
  const empty = asked.length === 0 ? ['There is no collection yet: add one with `dowser docs add`.'] : [];
  return {
    results,
    total: results.length,
    query: answer.query,
    mode: answer.search_mode,
    preset: answer.preset,
    query_class: answer.query_class,
    no_match: answer.no_match,
    nearest: foundChunks(answer.nearest ?? [], documents, collections, undefined),
    ...(stale.length === 0 ? {} : { stale: [...stale] }),
    warnings: [...empty, ...changing, ...answer.warnings],
  };
}

async function collectionsOf(
  { registry }: DocumentParts,
  names: readonly string[] | undefined,
): Promise<readonly NamedCollection[]> {
  if (names === undefined) return allCollections(registry);
  const found: NamedCollection[] = [];
  for (const name of names) found.push(await findCollection(registry, name));
  return found;
}

async function staleOf({ scans, now }: DocumentParts, asked: readonly NamedCollection[]): Promise<readonly string[]> {
  const notes = await scans.read();
  const moment = now().toISOString();
  return asked.flatMap(({ name, entity }) => ((notes.get(idOf(entity))?.stale_until ?? '') > moment ? [name] : []));
}

/** A page of the registry has at most `MAX_RESULTS`; a longer list is several pages of one list. */
async function searchTo(
  registry: DocumentParts['registry'],
  limit: number,
  request: SearchRequestInput,
): Promise<SearchResponse> {
  if (limit <= MAX_RESULTS) return registry.search({ ...request, max_results: limit });
  const first = await registry.search({ ...request, max_results: MAX_RESULTS, offset: 0 });
  const results = [...first.results];
  while (results.length < limit && results.length % MAX_RESULTS === 0 && results.length > 0) {
    const max_results = Math.min(MAX_RESULTS, limit - results.length);
    const next = await registry.search({ ...request, max_results, offset: results.length });
    if (next.results.length === 0) break;
    results.push(...next.results);
  }
  return { ...first, results };
}

async function documentsOf(
  { registry }: DocumentParts,
  results: readonly SearchResult[],
): Promise<ReadonlyMap<string, DocumentEntity>> {
  const paths = new Set(results.map(({ path }) => path));
  const records = await registry.getMany('document', [...paths]);
  return new Map(records.map(({ entity }) => [entity.path, entity as DocumentEntity]));
}

/** The place of each chunk of a document by its unit key, made once: a long document has thousands. */
const PLACES = new WeakMap<DocumentEntity, ReadonlyMap<string, number>>();

function placesOf(document: DocumentEntity): ReadonlyMap<string, number> {
  let places = PLACES.get(document);
  if (places === undefined) {
    places = new Map(document.chunks.map(({ id }, index) => [chunkKey(id), index]));
    PLACES.set(document, places);
  }
  return places;
}

interface Hit {
  readonly result: SearchResult;
  readonly document: DocumentEntity;
  readonly index: number;
}

function foundChunks(
  results: readonly SearchResult[],
  documents: ReadonlyMap<string, DocumentEntity>,
  collections: CollectionsByName,
  expand: Expand | undefined,
): FoundChunk[] {
  const hits: Hit[] = results.flatMap((result) => {
    const document = documents.get(result.path);
    const index = document === undefined ? undefined : placesOf(document).get(result.matched_unit.key);
    // A document may be replaced between the search and this read.
    return document === undefined || index === undefined ? [] : [{ result, document, index }];
  });
  const shown = new Map<DocumentEntity, Set<number>>();
  for (const { document, index } of hits) shown.set(document, (shown.get(document) ?? new Set()).add(index));
  return hits.map(({ result, document, index }) => ({
    ...toChunk(document, index, result.relevance_score, collections),
    confidence: result.confidence,
    similarity_score: result.similarity_score,
    ...(expand === undefined ? {} : { nearby: nearbyChunks(document, index, expand, shown.get(document)!) }),
    ...(result.explanation === undefined ? {} : { explanation: result.explanation }),
  }));
}
