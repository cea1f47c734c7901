import type { Caller } from '../model/caller/caller.ts';
import type { CallerOptions, LocalRegistry, ScopedRegistry } from '../registry/contract/registry.ts';
import {
  changeCollection,
  createCollection,
  getCollection,
  listCollections,
  removeCollection,
} from './collections/change-collections.ts';
import type { DocumentParts } from './collections/document-parts.ts';
import { countFiles, followFiles } from './collections/file-counts.ts';
import { SCAN_NOTE, type ScanNote } from './collections/file-notes.ts';
import { collectionStats, listDocumentSources } from './collections/list-sources.ts';
import { fileStates, putFiles } from './collections/put-files.ts';
import type { Documents } from './contract/documents.ts';
import { getChunk, readDocumentText } from './search/read-document.ts';
import { searchDocuments } from './search/search-documents.ts';

export interface DocumentOptions {
  /** Default: the clock of this machine. */
  readonly now?: () => Date;
}

/** The documents of a registry in this process. */
export interface DocumentService extends Documents {
  /** The same for one caller: see `LocalRegistry.as`. */
  as(caller: Caller, options?: CallerOptions): Documents;
}

export function createDocuments(registry: LocalRegistry, options: DocumentOptions = {}): DocumentService {
  const now = options.now ?? (() => new Date());
  const files = followFiles(registry);
  const scans = registry.follow(SCAN_NOTE, (note) => note as ScanNote);
  const over = (readers: Caller['readers'], scoped: ScopedRegistry, contents = scoped): Documents => {
    const counts = () => countFiles(files, scoped, readers);
    return documentsOver({ registry: scoped, contents, counts, followed: files, scans, now });
  };
  return {
    ...over(null, registry),
    as(caller, options = {}) {
      const scoped = registry.as(caller, options);
      const { ifMatch, ifNoneMatch, ...others } = options;
      const isPlain = ifMatch === undefined && ifNoneMatch === undefined;
      return isPlain ? over(caller.readers, scoped) : over(caller.readers, scoped, registry.as(caller, others));
    },
  };
}

function documentsOver(parts: DocumentParts): Documents {
  return {
    collections: () => listCollections(parts),
    createCollection: (collection) => createCollection(parts, collection),
    collection: (name) => getCollection(parts, name),
    changeCollection: (name, changes) => changeCollection(parts, name, changes),
    removeCollection: (name) => removeCollection(parts, name),
    fileStates: (name) => fileStates(parts, name),
    putFiles: (name, changes) => putFiles(parts, name, changes),
    search: (request) => searchDocuments(parts, request),
    chunk: (id) => getChunk(parts, id),
    read: (document, range) => readDocumentText(parts, document, range),
    sources: (name) => listDocumentSources(parts, name),
    stats: (name) => collectionStats(parts, name),
  };
}
