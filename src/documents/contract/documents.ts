import type {
  Chunk,
  Collection,
  CollectionList,
  CollectionStats,
  DocumentText,
  FileStates,
  FoundChunks,
  PutFiles,
  RemovedCollection,
  SourceList,
} from './document-answers.ts';
import type {
  ChangeCollection,
  CreateCollection,
  FileChanges,
  ReadRange,
  SearchDocuments,
} from './document-requests.ts';

/**
 * Collections of documents. A document is an entity of type `document` whose chunks are its units; a collection is a named set
 * of them. REST, MCP, the command line and the library call these functions, and a remote one over HTTP gives the same answers.
 *
 * Folders are read by the caller (`scan/`), which sends what changed: a server reads no folder because a request names it.
 * Every function with the name of a collection throws NOT_FOUND for an unknown one, with the name that was probably meant.
 */
export interface Documents {
  /** In order of name. */
  collections(): Promise<CollectionList>;
  /** Throws ALREADY_EXISTS for a name that is taken. */
  createCollection(collection: CreateCollection): Promise<Collection>;
  collection(name: string): Promise<Collection>;
  changeCollection(name: string, changes: ChangeCollection): Promise<Collection>;
  /** Documents of other collections too stay in those. */
  removeCollection(name: string): Promise<RemovedCollection>;

  /** The files of a collection as they were last read: enough to find those that changed. */
  fileStates(name: string): Promise<FileStates>;
  /** Stores files in one write, removes others, and notes the scan. */
  putFiles(name: string, changes: FileChanges): Promise<PutFiles>;

  /** Without collections: over all of them. */
  search(request: SearchDocuments): Promise<FoundChunks>;
  /** Throws NOT_FOUND. */
  chunk(id: string): Promise<Chunk>;
  /** A document by its id, by `collection/path` or by the id of a chunk: all of its text, or a range of lines or pages. */
  read(document: string, range?: ReadRange): Promise<DocumentText>;
  /** In order of path. */
  sources(name: string): Promise<SourceList>;
  stats(name: string): Promise<CollectionStats>;
}
