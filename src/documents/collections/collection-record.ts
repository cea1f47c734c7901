import type { CollectionRecord } from '../../model/entity-types/document.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { meantName } from '../../model/text/meant-name.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import type { Collection } from '../contract/document-answers.ts';
import { type Chunking, DEFAULT_CHUNKING } from '../contract/document-requests.ts';
import { collectionPath, type DocumentEntity } from './document-parts.ts';
import type { Counts } from './file-counts.ts';
import { type ScanNote, scanNotes } from './file-notes.ts';

/** A stored collection. */
export interface NamedCollection {
  readonly name: string;
  readonly record: CollectionRecord;
  readonly entity: DocumentEntity;
}

/** The collection of a name, whatever its case. Throws NOT_FOUND with the name that was probably meant. */
export async function findCollection(registry: ScopedRegistry, name: string): Promise<NamedCollection> {
  const found = await collectionAt(registry, name);
  if (found !== undefined) return found;
  const names = await collectionNames(registry);
  const meant = meantName(String(name), names);
  const known =
    names.length === 0 ? 'There is none yet: add one with `dowser docs add`.' : `Collections: ${list(names)}.`;
  throw new DowserError('NOT_FOUND', `There is no collection ${showValue(name)}.`, {
    field: 'collection',
    hint: meant === undefined ? known : `Did you mean '${meant}'?`,
    ...(meant === undefined ? {} : { details: { did_you_mean: meant } }),
  });
}

export const isNotFoundError = (thrown: unknown): boolean =>
  thrown instanceof DowserError && thrown.code === 'NOT_FOUND';

const MAX_LISTED = 10;
const list = (names: readonly string[]) =>
  names.length <= MAX_LISTED ? names.join(', ') : `${names.slice(0, MAX_LISTED).join(', ')} and more`;

export async function collectionAt(registry: ScopedRegistry, name: string): Promise<NamedCollection | undefined> {
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  const [found] = await registry.getMany('document', [collectionPath(name.trim())]);
  return found === undefined ? undefined : named(found.entity as DocumentEntity);
}

function named(entity: DocumentEntity): NamedCollection | undefined {
  return entity.collection === undefined ? undefined : { name: entity.name, record: entity.collection, entity };
}

/** In order of name. */
export async function allCollections(registry: ScopedRegistry): Promise<readonly NamedCollection[]> {
  const paths = [...(await scanNotes(registry)).keys()];
  const records = await registry.getMany('document', paths);
  return records
    .flatMap(({ entity }) => named(entity as DocumentEntity) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function collectionNames(registry: ScopedRegistry): Promise<readonly string[]> {
  return (await allCollections(registry)).map(({ name }) => name);
}

export const chunkingOf = ({ chunking }: CollectionRecord): Chunking => chunking ?? DEFAULT_CHUNKING;

/** Raised when files must be read again: formats are read better, or chunks are cut differently. */
const READ_VERSION = 2;

/** How a file is read and cut. If it is another than when the file was read, the file is read again. */
export const chunkingKey = ({ strategy, max_chars, overlap_chars }: Chunking): string =>
  `${READ_VERSION}:${strategy}:${max_chars}:${overlap_chars}`;

export function toCollection(
  { name, record }: NamedCollection,
  { files, chunks }: Counts = { files: 0, chunks: 0 },
  scan: ScanNote | undefined,
): Collection {
  return {
    name,
    folder: record.folder ?? null,
    include: record.include,
    exclude: record.exclude,
    chunking: chunkingOf(record),
    notes: record.notes,
    files,
    chunks,
    unread: scan?.unread ?? 0,
    scanned_at: scan?.scanned_at ?? null,
  };
}

/** The notes on a file of a collection: on the collection, then on each folder above the file. */
export function notesFor({ notes }: CollectionRecord, path: string): readonly string[] {
  return notes
    .filter(({ folder }) => folder === '' || path === folder || path.startsWith(`${folder}/`))
    .sort((a, b) => a.folder.length - b.folder.length)
    .map(({ note }) => note);
}
