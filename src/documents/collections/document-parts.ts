import type { EntityOf } from '../../model/entity.ts';
import type { FollowedValues, ScopedRegistry } from '../../registry/contract/registry.ts';
import type { CountsByCollection, FollowedFile } from './file-counts.ts';
import type { ScanNote } from './file-notes.ts';

/** What every function of the service needs. */
export interface DocumentParts {
  /** The registry of the caller. */
  readonly registry: ScopedRegistry;
  /** The same without the condition of a request: a condition is about the collection, not about its documents. */
  readonly contents: ScopedRegistry;
  /** The files and chunks of each collection, as far as the caller may read them. */
  readonly counts: () => Promise<CountsByCollection>;
  /** The files of all documents, also of those that the caller may not read. */
  readonly followed: FollowedValues<FollowedFile>;
  /** The states of the scans of all collections. */
  readonly scans: FollowedValues<ScanNote>;
  readonly now: () => Date;
}

export type DocumentEntity = EntityOf<'document'>;

/** Where documents are stored. */
const FILES = '/files/';

export const documentPath = (id: string): string => `${FILES}${id}`;
export const sourceIdOf = (path: string): string => (path.startsWith(FILES) ? path.slice(FILES.length) : path);

export { collectionPath } from '../../model/entity-types/document.ts';

/** The id of a chunk names its document, so that a chunk is found without a search: `DOCUMENT-CHUNK`. */
export const chunkIdOf = (document: Pick<DocumentEntity, 'path'>, id: string): string =>
  `${sourceIdOf(document.path)}-${id}`;

/** The document and the chunk of a chunk id; null for any other text. */
export function splitChunkId(chunkId: string): { readonly document: string; readonly chunk: string } | null {
  const [, document, chunk] = /^([0-9a-f]{16})-([0-9a-f]{1,64})$/.exec(chunkId) ?? [];
  return document === undefined || chunk === undefined ? null : { document, chunk };
}
