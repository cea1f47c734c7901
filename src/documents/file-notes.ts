import type { ScopedRegistry } from '../registry/registry.ts';
import type { UnreadFile } from './document-requests.ts';

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

/** What the registry notes about a collection. */
export interface ScanNote {
  readonly scanned_at: string | null;
  readonly unread: readonly UnreadFile[];
}

export const FILE_NOTE = 'file';
export const SCAN_NOTE = 'scan';

/** Every file note, by the path of its document. */
export async function fileNotes(registry: ScopedRegistry): Promise<ReadonlyMap<string, FileNote>> {
  return (await registry.annotated('document', FILE_NOTE)) as ReadonlyMap<string, FileNote>;
}

/** Every collection by its path, with the state of its scan. */
export async function scanNotes(registry: ScopedRegistry): Promise<ReadonlyMap<string, ScanNote>> {
  return (await registry.annotated('document', SCAN_NOTE)) as ReadonlyMap<string, ScanNote>;
}

export const isIn = (note: Pick<FileNote, 'files'>, collection: string): boolean =>
  note.files.some((file) => file.collection === collection);

/** The path of the file in one collection; '' where it is not in it. */
export const pathIn = (note: Pick<FileNote, 'files'>, collection: string): string =>
  note.files.find((file) => file.collection === collection)?.path ?? '';
