import { DowserError } from '../../model/errors/errors.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import { meantName } from '../../model/text/meant-name.ts';
import { allCollections, collectionAt } from '../collections/collection-record.ts';
import { type DocumentEntity, type DocumentParts, documentPath, splitChunkId } from '../collections/document-parts.ts';
import { fileNotes, isIn, pathIn } from '../collections/file-notes.ts';
import type { Chunk, DocumentText } from '../contract/document-answers.ts';
import { type ReadRange, readRangeSchema } from '../contract/document-requests.ts';
import { textRange } from './text-range.ts';
import { type CollectionsByName, notesOf, sourceOf, toChunk } from './to-chunk.ts';

const ID = /^[0-9a-f]{16}$/;

async function byPath({ registry }: DocumentParts, path: string): Promise<DocumentEntity | undefined> {
  return (await registry.getMany('document', [path]))[0]?.entity as DocumentEntity | undefined;
}

/** The document that an id, a path of the registry, a chunk id or `collection/path` names. Throws NOT_FOUND. */
export async function findDocument(parts: DocumentParts, given: string): Promise<DocumentEntity> {
  const name = String(given).trim();
  const id = splitChunkId(name)?.document ?? (ID.test(name) ? name : undefined);
  const path = id === undefined ? name : documentPath(id);
  const found = path.startsWith('/') ? await byPath(parts, path) : undefined;
  if (found !== undefined && found.collection === undefined) return found;
  return byName(parts, name);
}

async function byName(parts: DocumentParts, name: string): Promise<DocumentEntity> {
  const cut = name.indexOf('/');
  const collection = cut > 0 ? await collectionAt(parts.registry, name.slice(0, cut)) : undefined;
  const inside = name.slice(cut + 1);
  const notes = [...(await fileNotes(parts.registry))];
  const own = collection === undefined ? [] : notes.filter(([, note]) => isIn(note, collection.name));
  // Without a collection, a path that only one document has is enough.
  const matches =
    collection === undefined
      ? notes.filter(([, { files }]) => files.some((file) => file.path === name))
      : own.filter(([, note]) => pathIn(note, collection.name) === inside);
  const [only] = matches;
  const found = matches.length === 1 ? await byPath(parts, only![0]) : undefined;
  if (found !== undefined) return found;
  const paths = own.map(([, note]) => pathIn(note, collection!.name));
  const meant = meantName(inside, paths.slice(0, MAX_COMPARED));
  throw new DowserError('NOT_FOUND', `There is no document ${showValue(name)}.`, {
    field: 'document',
    hint:
      meant === undefined
        ? 'Name it as collection/path, or by the id that a search gives.'
        : `Did you mean '${collection!.name}/${meant}'?`,
    ...(meant === undefined ? {} : { details: { did_you_mean: `${collection!.name}/${meant}` } }),
  });
}

/** Comparing a name with every file of a huge collection would take seconds. */
const MAX_COMPARED = 5000;

async function known({ registry }: DocumentParts): Promise<CollectionsByName> {
  return new Map((await allCollections(registry)).map((one) => [one.name, one]));
}

export async function readDocumentText(
  parts: DocumentParts,
  name: string,
  input: ReadRange = {},
): Promise<DocumentText> {
  const range = parseWith(readRangeSchema, input, 'range');
  const document = await findDocument(parts, name);
  const collections = await known(parts);
  return {
    ...sourceOf(document, collections),
    ...textRange(document, range),
    notes: notesOf(document, collections),
    metadata: document.metadata,
  };
}

export async function getChunk(parts: DocumentParts, given: string): Promise<Chunk> {
  const id = splitChunkId(String(given).trim());
  const document = id === null ? undefined : await byPath(parts, documentPath(id.document));
  const index = document?.chunks.findIndex((part) => part.id === id?.chunk) ?? -1;
  if (document === undefined || index < 0) {
    throw new DowserError('NOT_FOUND', `There is no chunk ${showValue(given)}.`, {
      field: 'chunk_id',
      hint: 'Search again: a chunk has another id once its text has changed.',
    });
  }
  return toChunk(document, index, 1, await known(parts));
}
