import { createClient, type DowserError, type OperationRequest, type OperationResult } from '../client/index.ts';

/** The page talks to the server that served it, through the public client. */
export const api = createClient({ baseUrl: location.origin });

export type SearchAnswer = OperationResult<'search'>;
export type SearchBody = OperationRequest<'search'>['body'];
export type Result = SearchAnswer['results'][number];
export type EntityType = Result['entity_type'];
export type Explanation = NonNullable<Result['explanation']>;
export type Health = OperationResult<'health'>;
export type EntityRecord = OperationResult<'getEntity'>;
export type Entity = EntityRecord['entity'];
export type Memory = OperationResult<'getMemory'>;
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
