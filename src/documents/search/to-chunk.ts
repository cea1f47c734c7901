import { type DocumentPart, partText } from '../../model/entity-types/document.ts';
import { type NamedCollection, notesFor } from '../collections/collection-record.ts';
import { chunkIdOf, type DocumentEntity, sourceIdOf } from '../collections/document-parts.ts';
import type { Chunk } from '../contract/document-answers.ts';

/** The collections that a caller asks in, by name. */
export type CollectionsByName = ReadonlyMap<string, NamedCollection>;

/** The file of a document, as the caller knows it: in the first of the collections that it asks in. */
export function fileOf(document: DocumentEntity, collections: CollectionsByName) {
  return document.files.find(({ collection }) => collections.has(collection)) ?? document.files[0];
}

/** Where a document comes from, in the fields of every answer. */
export function sourceOf(document: DocumentEntity, collections: CollectionsByName) {
  const file = fileOf(document, collections);
  const path = file?.path ?? document.path;
  const url = file === undefined ? document.path : `dowser://docs/${encodeURI(`${file.collection}/${path}`)}`;
  return {
    source_id: sourceIdOf(document.path),
    source_url: document.source_url ?? url,
    source_name: document.name === '' ? path : document.name,
    source_type: document.format ?? 'text',
    collections: document.files.map(({ collection }) => collection),
    path,
  };
}

/** The notes on a document, of each of its collections that the caller asks in. */
export function notesOf(document: DocumentEntity, collections: CollectionsByName): string[] {
  return document.files.flatMap(({ collection, path }) => {
    const found = collections.get(collection);
    return found === undefined ? [] : notesFor(found.record, path);
  });
}

export function positionOf(part: DocumentPart, index: number): Chunk['position'] {
  const { start_char, end_char, from_line, to_line, page = null } = part;
  return { index, start_char, end_char, from_line, to_line, page };
}

export function toChunk(document: DocumentEntity, index: number, score: number, collections: CollectionsByName): Chunk {
  const part = document.chunks[index]!;
  return {
    chunk_id: chunkIdOf(document, part.id),
    text: partText(document, part),
    score,
    ...sourceOf(document, collections),
    position: positionOf(part, index),
    heading_path: part.headings,
    notes: notesOf(document, collections),
    metadata: document.metadata,
  };
}
