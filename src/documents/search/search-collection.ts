import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { Chunk, FoundChunks, FoundInCollection } from '../contract/document-answers.ts';
import type { SearchDocuments } from '../contract/document-requests.ts';
import type { Documents } from '../contract/documents.ts';

/** The request of IndexFoundry's servers, besides our own fields. */
export interface CollectionSearch extends Omit<SearchDocuments, 'collections'> {
  readonly top_k?: number | undefined;
  readonly mode?: 'keyword' | 'semantic' | 'hybrid' | undefined;
}

const PRESETS = { keyword: 'keyword', semantic: 'vector', hybrid: undefined } as const;
const MAX_TOP_K = 100;

/** One collection, asked as the clients of IndexFoundry's servers ask. The ranking is that of every search. */
export async function searchCollection(
  documents: Pick<Documents, 'search' | 'collection'>,
  name: string,
  { top_k, mode, ...request }: CollectionSearch,
): Promise<FoundInCollection> {
  const limit =
    request.limit ?? (top_k === undefined ? undefined : Math.min(MAX_TOP_K, Math.max(1, Math.round(top_k))));
  const preset = request.preset ?? PRESETS[mode ?? 'hybrid'];
  const isEmpty = request.query !== undefined && request.query.trim() === '' && request.searches === undefined;
  const asked = mode === undefined ? {} : { mode };
  if (isEmpty) return { ...(await nothing(documents, name)), ...asked };
  const found = await documents.search({
    ...request,
    collections: [name],
    ...(limit === undefined ? {} : { limit }),
    ...(preset === undefined ? {} : { preset }),
  });
  return { ...found, ...asked };
}

/** Clients of IndexFoundry's servers get an empty list for an empty query. */
async function nothing(documents: Pick<Documents, 'collection'>, name: string): Promise<FoundChunks> {
  await documents.collection(name);
  const found = { results: [], total: 0, query: '', no_match: true, nearest: [] };
  return {
    ...found,
    mode: 'hybrid',
    preset: 'documents',
    query_class: 'conceptual',
    warnings: ['The query is empty.'],
  };
}

/** A chunk that is in the collection. Throws NOT_FOUND for one of another. */
export async function chunkInCollection(
  documents: Pick<Documents, 'chunk' | 'collection'>,
  name: string,
  chunkId: string,
): Promise<Chunk> {
  const { name: known } = await documents.collection(name);
  const chunk = await documents.chunk(chunkId);
  if (chunk.collections.includes(known)) return chunk;
  throw new DowserError('NOT_FOUND', `The collection '${known}' has no chunk ${showValue(chunkId)}.`, {
    field: 'chunk_id',
  });
}
