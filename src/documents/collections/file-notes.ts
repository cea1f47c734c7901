import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import type { UnreadFile } from '../contract/document-requests.ts';

/**
 * What the registry notes about the file of a document. Kept beside the document, so that thousands of them are compared
 * without reading a text.
 */
export interface FileNote {
  readonly files: readonly { readonly collection: string; readonly path: string }[];
  readonly size: number;
  readonly mtime_ms: number;
  readonly hash: string;
  /** Not a file of a folder. */
  readonly sent: boolean;
  /** How it was read and cut: see `chunkingKey`. */
  readonly chunking: string;
  readonly chunks: number;
  readonly title: string;
  readonly format: string;
  /** What of the file was not read, as sentences. Absent: all of it was. */
  readonly warnings?: readonly string[];
}

/** What the registry notes about a collection. Every search over all collections reads it. */
export interface ScanNote {
  readonly scanned_at: string | null;
  /** How many files could not be read. The list of them is a note of its own: it may have megabytes. */
  readonly unread: number;
  /** A scan has found changes and is storing them, unless it died: until this moment. */
  readonly stale_until?: string;
}

/** How long a scan may work on without saying so. Reading one file takes less. */
export const STALE_MS = 120_000;

export const FILE_NOTE = 'file';
export const SCAN_NOTE = 'scan';
export const UNREAD_NOTE = 'unread';

/** Every file note, by the path of its document. */
export async function fileNotes(registry: ScopedRegistry): Promise<ReadonlyMap<string, FileNote>> {
  return (await registry.annotated('document', FILE_NOTE)) as ReadonlyMap<string, FileNote>;
}

/** Every collection by its path, with the state of its scan. */
export async function scanNotes(registry: ScopedRegistry): Promise<ReadonlyMap<string, ScanNote>> {
  return (await registry.annotated('document', SCAN_NOTE)) as ReadonlyMap<string, ScanNote>;
}

/** The files of a collection that could not be read. */
export async function unreadFiles(registry: ScopedRegistry, collection: string): Promise<readonly UnreadFile[]> {
  const notes = (await registry.annotated('document', UNREAD_NOTE)) as ReadonlyMap<string, readonly UnreadFile[]>;
  return notes.get(collection) ?? [];
}

export const isIn = (note: Pick<FileNote, 'files'>, collection: string): boolean =>
  note.files.some((file) => file.collection === collection);

/** The path of the file in one collection; '' where it is not in it. */
export const pathIn = (note: Pick<FileNote, 'files'>, collection: string): string =>
  note.files.find((file) => file.collection === collection)?.path ?? '';
