import type { Handlers } from '../../api/contract.ts';
import { DOCUMENT_CALLS, type DocumentOperation } from '../../api/document-calls.ts';
import type { Documents } from '../../documents/documents.ts';
import { chunkInCollection, searchCollection } from '../../documents/search-collection.ts';

/** A handler for every operation of `DOCUMENT_CALLS`, and for the routes of one collection. */
export function documentHandlers(documents: Documents): Pick<Handlers, DocumentOperation> {
  const handlers = Object.entries(DOCUMENT_CALLS).map(([method, call]) => {
    const ask = documents[method as keyof Documents] as (...args: readonly unknown[]) => Promise<unknown>;
    const toArguments = call.toArguments as (input: unknown) => readonly unknown[];
    return [call.operation, async (input: unknown) => ({ status: 200, body: await ask(...toArguments(input)) })];
  });
  const ofCollection: Pick<Handlers, 'searchCollection' | 'getCollectionChunk' | 'getDocument'> = {
    async searchCollection({ params, body }) {
      return { status: 200, body: await searchCollection(documents, params.name, body) };
    },
    async getCollectionChunk({ params: { name, chunk_id } }) {
      return { status: 200, body: await chunkInCollection(documents, name, chunk_id) };
    },
    async getDocument({ params: { name, path }, query }) {
      await documents.collection(name);
      return { status: 200, body: await documents.read(`${name}/${path}`, query) };
    },
  };
  return { ...Object.fromEntries(handlers), ...ofCollection };
}
