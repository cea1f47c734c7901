import type { Documents } from '../../documents/contract/documents.ts';
import type { documentOperations } from '../operations/document-operations.ts';
import { BODY, type Calls, NOTHING } from './call.ts';

export type DocumentOperation = keyof typeof documentOperations;

const NAME = {
  toRequest: (name: string) => ({ params: { name } }),
  toArguments: ({ params }: { readonly params: { readonly name: string } }): [string] => [params.name],
};
const NAMED_BODY = {
  toRequest: <B>(name: string, body: B) => ({ params: { name }, body }),
  toArguments: <B>(input: { readonly params: { readonly name: string }; readonly body: B }): [string, B] => [
    input.params.name,
    input.body,
  ],
};

/** How each method of `Documents` maps to an operation. The handlers of the server and the remote documents are made from it. */
export const DOCUMENT_CALLS = {
  collections: { operation: 'listCollections', ...NOTHING },
  createCollection: { operation: 'createCollection', ...BODY },
  collection: { operation: 'getCollection', ...NAME },
  changeCollection: { operation: 'changeCollection', ...NAMED_BODY },
  removeCollection: { operation: 'removeCollection', ...NAME, slow: true },
  fileStates: { operation: 'listFileStates', ...NAME, slow: true },
  putFiles: { operation: 'putFiles', ...NAMED_BODY, slow: true },
  search: { operation: 'searchDocuments', ...BODY },
  chunk: {
    operation: 'getChunk',
    toRequest: (chunk_id) => ({ params: { chunk_id } }),
    toArguments: ({ params }) => [params.chunk_id],
  },
  read: {
    operation: 'readDocument',
    toRequest: (document, range = {}) => ({ body: { document, range } }),
    toArguments: ({ body: { document, range } }) => [document, range],
  },
  sources: { operation: 'listCollectionSources', ...NAME },
  stats: { operation: 'getCollectionStats', ...NAME },
} as const satisfies Calls<Documents, DocumentOperation>;
