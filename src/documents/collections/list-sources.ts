import type { CollectionStats, SourceList } from '../contract/document-answers.ts';
import { findCollection } from './collection-record.ts';
import { type DocumentParts, sourceIdOf } from './document-parts.ts';
import { fileNotes, isIn, pathIn, unreadFiles } from './file-notes.ts';

/** The files of a collection, also those that could not be read. */
export async function listDocumentSources({ registry }: DocumentParts, given: string): Promise<SourceList> {
  const { name, entity } = await findCollection(registry, given);
  const read = [...(await fileNotes(registry))].flatMap(([path, note]) => {
    if (!isIn(note, name)) return [];
    const { title, format, chunks, warnings } = note;
    const source = { source_id: sourceIdOf(path), type: format, uri: pathIn(note, name), name: title, chunks };
    const message = warnings === undefined ? {} : { message: warnings.join(' ') };
    return [{ ...source, status: 'completed' as const, ...message }];
  });
  const unread = (await unreadFiles(registry, entity.path)).map(({ path, code, message }) => ({
    source_id: path,
    type: code,
    uri: path,
    name: path,
    status: 'failed' as const,
    chunks: 0,
    message,
  }));
  const sources = [...read, ...unread].sort((a, b) => (a.uri < b.uri ? -1 : 1));
  return { sources, total: sources.length };
}

export async function collectionStats({ registry, counts }: DocumentParts, given: string): Promise<CollectionStats> {
  const { name, entity } = await findCollection(registry, given);
  const { files: sources, chunks } = (await counts()).get(name) ?? { files: 0, chunks: 0 };
  const { index, embedder } = await registry.health();
  // Vectors are counted for the whole index: those that are missing may be of other entities.
  const vectors = embedder.id === null ? 0 : Math.max(0, chunks - index.missing_vectors);
  return { project: name, description: entity.description, chunks, vectors, sources, has_embeddings: vectors > 0 };
}
