import type { Registry } from '../../registry/contract/registry.ts';
import { type DocumentEntity, documentPath } from '../collections/document-parts.ts';
import { type FileChange, MAX_WARNING_CHARS } from '../contract/document-requests.ts';
import type { Documents } from '../contract/documents.ts';

export interface CopyOptions {
  readonly from: Documents;
  /** Where `from` keeps its documents. */
  readonly registry: Pick<Registry, 'get'>;
  readonly to: Documents;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Files of one write. */
const BATCH = 32;

/** Copies a collection without its folder and without what is known about its files on this machine. Returns the files. */
export async function copyCollection(given: string, options: CopyOptions): Promise<number> {
  const { from, registry, to, signal, onProgress } = options;
  const { name, chunking, notes } = await from.collection(given);
  await to.createCollection({ name, chunking });
  if (notes.length > 0) await to.changeCollection(name, { notes });
  const sources = (await from.sources(name)).sources.filter(({ status }) => status === 'completed');
  // The same order in every export: sums of vectors depend on it.
  const ids = sources
    .map(({ source_id, uri, message }) => ({
      id: source_id,
      path: uri,
      warnings: message === undefined ? [] : [message.slice(0, MAX_WARNING_CHARS)],
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  for (let at = 0; at < ids.length; at += BATCH) {
    signal?.throwIfAborted();
    const put: FileChange[] = [];
    for (const { id, path, warnings } of ids.slice(at, at + BATCH)) {
      const { entity } = await registry.get('document', documentPath(id));
      put.push(toChange({ id, path, warnings }, entity as DocumentEntity));
    }
    await to.putFiles(name, { put });
    onProgress?.(Math.min(ids.length, at + BATCH), ids.length);
  }
  await to.putFiles(name, { scanned: true });
  return ids.length;
}

type CopiedFile = Pick<FileChange, 'id' | 'path'> & { readonly warnings: string[] };

function toChange({ id, path, warnings }: CopiedFile, document: DocumentEntity): FileChange {
  const { name: title, format = 'text', body: text, chunks, page_starts, metadata } = document;
  const pages = page_starts === undefined ? {} : { page_starts };
  const content = { title, format, text, chunks, metadata, warnings, ...pages };
  return { id, path, size: text.length, mtime_ms: 0, hash: '', sent: true, content };
}
