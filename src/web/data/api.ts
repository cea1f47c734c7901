import {
  type AnswerEvent,
  askCollection,
  createClient,
  type DowserError,
  type FileToSend,
  type OperationRequest,
  type OperationResult,
  uploadFile,
} from '../../client/index.ts';
import { signedFetch } from './key.ts';

/** The page talks to the server that served it, through the public client. */
const server = { baseUrl: location.origin, fetch: signedFetch };
export const api = createClient(server);
export const upload = (collection: string, file: FileToSend, signal: AbortSignal) =>
  uploadFile(server, collection, file, { signal });
export const ask = (collection: string, question: string, signal: AbortSignal) =>
  askCollection(server, collection, { question }, { signal });

export type { OperationResult };
export type SearchAnswer = OperationResult<'search'>;
export type SearchBody = OperationRequest<'search'>['body'];
export type Result = SearchAnswer['results'][number];
export type EntityType = Result['entity_type'];
export type Explanation = NonNullable<Result['explanation']>;
export type Health = OperationResult<'health'>;
export type EntityRecord = OperationResult<'getEntity'>;
export type Entity = EntityRecord['entity'];
export type Memory = OperationResult<'getMemory'>;
export type User = OperationResult<'getUser'>;
export type Collection = OperationResult<'getCollection'>;
export type FoundChunk = OperationResult<'searchDocuments'>['results'][number];
export type Source = Extract<AnswerEvent, { readonly type: 'sources' }>['sources'][number];
export type { AnswerEvent };
export type Failure = Pick<DowserError, 'code' | 'message' | 'hint'>;

/** What a failed call says. Anything else is a fault of the page itself. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof Error && 'code' in thrown) return thrown as unknown as Failure;
  return { code: 'INTERNAL', message: thrown instanceof Error ? thrown.message : String(thrown), hint: undefined };
}

/** The id of an entity, as the command line prints it. */
export const idOf = (entity: { readonly entity_type: EntityType; readonly path: string }): string =>
  `${entity.entity_type}:${entity.path}`;

export function splitId(id: string): { readonly type: EntityType; readonly path: string } {
  const at = id.indexOf(':');
  return { type: id.slice(0, Math.max(0, at)) as EntityType, path: id.slice(at + 1) };
}
