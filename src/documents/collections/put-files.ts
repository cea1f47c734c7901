import { idOf, splitEntityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import type { Fields } from '../../registry/contract/entity-operations.ts';
import { blockedPaths } from '../../registry/write/blocked.ts';
import type { FileStates, PutFiles } from '../contract/document-answers.ts';
import { type FileChange, type FileChanges, fileChangesSchema } from '../contract/document-requests.ts';
import { leave } from './change-collections.ts';
import { chunkingKey, chunkingOf, findCollection, type NamedCollection } from './collection-record.ts';
import { type DocumentEntity, type DocumentParts, documentPath, sourceIdOf } from './document-parts.ts';
import {
  FILE_NOTE,
  type FileNote,
  fileNotes,
  isIn,
  pathIn,
  SCAN_NOTE,
  STALE_MS,
  scanNotes,
  UNREAD_NOTE,
  unreadFiles,
} from './file-notes.ts';

export async function fileStates({ registry }: DocumentParts, given: string): Promise<FileStates> {
  const { name, entity } = await findCollection(registry, given);
  const files = [...(await fileNotes(registry))].flatMap(([path, note]) => {
    if (!isIn(note, name)) return [];
    const { size, mtime_ms, hash, sent, chunking } = note;
    return [{ id: sourceIdOf(path), path: pathIn(note, name), size, mtime_ms, hash, sent, chunking }];
  });
  return { files, unread: [...(await unreadFiles(registry, entity.path))] };
}

export async function putFiles(parts: DocumentParts, given: string, input: FileChanges): Promise<PutFiles> {
  const { registry } = parts;
  const changes = parseWith(fileChangesSchema, input, 'files');
  const collection = await findCollection(registry, given);
  await registry.checkTag('document', collection.entity.path);
  const unknown: string[] = [];
  const replaced = await replacedBy(parts, collection, changes.put);
  const stored = changes.put.length === 0 ? 0 : await store(parts, collection, changes.put, unknown);
  if (replaced.length > 0) await remove(parts, collection, replaced);
  const removed = changes.remove.length === 0 ? 0 : await remove(parts, collection, changes.remove);
  if (changes.unread !== undefined || changes.scanned) await noteScan(parts, collection, changes);
  else if (changes.scanning) await noteStale(parts, collection);
  return { stored, removed, unknown };
}

/**
 * The other files at the paths of new ones: a path names one file of a collection, the one that came last. Throws FORBIDDEN for a
 * path of a blocked file.
 */
async function replacedBy(
  { registry, followed }: DocumentParts,
  { name }: NamedCollection,
  files: readonly FileChange[],
): Promise<readonly string[]> {
  if (files.length === 0) return [];
  const idAt = new Map(files.map(({ path, id }) => [path, id]));
  const blocked = await blockedPaths(registry, 'document');
  const others: string[] = [];
  for (const [entity, file] of await followed.read()) {
    const at = file.files.find(({ collection }) => collection === name)?.path;
    const { path } = splitEntityId(entity);
    const id = sourceIdOf(path);
    if (at === undefined || !idAt.has(at) || idAt.get(at) === id) continue;
    if (blocked.has(path)) throw blockedFile(at);
    others.push(id);
  }
  return others;
}

function blockedFile(path: string): DowserError {
  return new DowserError('FORBIDDEN', `The file at ${showValue(path)} was blocked, and another may not replace it.`, {
    field: 'path',
    hint: 'An admin can lift the block with `dowser approve`.',
  });
}

const NO_NOTES: ReadonlyMap<string, FileNote> = new Map();

async function store(
  { contents: registry }: DocumentParts,
  { name, record, entity }: NamedCollection,
  files: readonly FileChange[],
  unknown: string[],
): Promise<number> {
  // Of thousands: read only where a file keeps its content.
  const before = files.some(({ content }) => content === undefined) ? await fileNotes(registry) : NO_NOTES;
  const notes = new Map<string, Record<string, unknown>>();
  // A file that is in the batch twice is stored as it came last, and so is a path.
  const lastAt = new Map(files.map((file) => [file.path, file.id]));
  const last = files.filter((file) => lastAt.get(file.path) === file.id);
  const byPath = new Map(last.map((file) => [documentPath(file.id), file]));
  await registry.changeMany(
    'document',
    [...byPath.keys()],
    (found) =>
      [...byPath].flatMap(([path, file]) => {
        const stored = found.get(path);
        if (stored === undefined && file.content === undefined) {
          unknown.push(file.id);
          return [];
        }
        const document = toDocument(name, path, file, stored ?? newIn(entity));
        const known = file.content === undefined ? before.get(path) : undefined;
        const key = known?.chunking ?? chunkingKey(chunkingOf(record));
        const warnings = file.content?.warnings ?? known?.warnings ?? [];
        notes.set(path, { [FILE_NOTE]: noteOf(document, file, key, warnings) });
        return [document];
      }),
    { vectors: 'later', notes, within: idOf(entity) },
  );
  return notes.size;
}

/** Front matter and properties that say something about the document itself. */
const described = (metadata: Readonly<Record<string, unknown>>): string => {
  const { description, summary } = metadata;
  const said = typeof description === 'string' ? description : summary;
  return typeof said === 'string' ? said.slice(0, 4000) : '';
};

function tagsOf({ tags }: Readonly<Record<string, unknown>>): readonly string[] {
  const listed = typeof tags === 'string' ? tags.split(',') : Array.isArray(tags) ? tags.map(String) : [];
  return listed
    .map((tag) => tag.trim().slice(0, 512))
    .filter((tag) => tag !== '')
    .slice(0, 200);
}

/** A new document has the readers of its collection. A private one also has its owner: else the caller who scans it would own it. */
function newIn({ visibility, allowed_groups, owner }: DocumentEntity): NewDocument {
  return { files: [], visibility, allowed_groups, ...(visibility === 'private' ? stated({ owner }) : {}) };
}
type NewDocument = Pick<DocumentEntity, 'files' | 'visibility' | 'allowed_groups' | 'owner'>;

function toDocument(
  collection: string,
  path: string,
  { path: file, content }: FileChange,
  stored: DocumentEntity | NewDocument,
): DocumentEntity & Fields {
  const others = stored.files.filter((one) => one.collection !== collection);
  const files = [...others, { collection, path: file }];
  // A file without content is stored already.
  if (content === undefined) return { ...(stored as DocumentEntity), files };
  const { title, format, text, chunks, page_starts, metadata } = content;
  return {
    ...stored,
    type: 'document',
    path,
    name: title,
    description: described(metadata),
    tags: tagsOf(metadata),
    body: text,
    format,
    files,
    chunks,
    page_starts,
    metadata,
  } as unknown as DocumentEntity & Fields;
}

function noteOf(
  { files, chunks, name: title, format = 'text' }: DocumentEntity,
  { size, mtime_ms, hash, sent }: FileChange,
  chunking: string,
  warnings: readonly string[],
): FileNote {
  const note = { files, size, mtime_ms, hash, sent, chunking, chunks: chunks.length, title, format };
  return warnings.length === 0 ? note : { ...note, warnings };
}

/** Files that are gone: a document of another collection too stays in that one, and a blocked one stays blocked. */
async function remove(
  { contents: registry }: DocumentParts,
  collection: NamedCollection,
  ids: readonly string[],
): Promise<number> {
  const { name, entity } = collection;
  const notes = await fileNotes(registry);
  const blocked = await blockedPaths(registry, 'document');
  const own = ids
    .map(documentPath)
    .filter((path) => !blocked.has(path))
    .flatMap((path) => (notes.has(path) && isIn(notes.get(path)!, name) ? [[path, notes.get(path)!] as const] : []));
  const alone = own.filter(([, { files }]) => files.every(({ collection }) => collection === name));
  await leave(
    registry,
    collection,
    own.filter((one) => !alone.includes(one)),
  );
  await registry.deleteMany(
    'document',
    alone.map(([path]) => path),
    { within: idOf(entity) },
  );
  return own.length;
}

async function noteScan(
  { registry, now }: DocumentParts,
  { entity }: NamedCollection,
  { unread, scanned }: { readonly unread?: readonly unknown[] | undefined; readonly scanned: boolean },
): Promise<void> {
  const before = (await scanNotes(registry)).get(entity.path);
  const note = {
    scanned_at: scanned ? now().toISOString() : (before?.scanned_at ?? null),
    unread: unread?.length ?? before?.unread ?? 0,
  };
  if (unread !== undefined) await registry.annotate('document', UNREAD_NOTE, new Map([[entity.path, unread]]));
  await registry.annotate('document', SCAN_NOTE, new Map([[entity.path, note]]));
}

/** Written again only when half of the time is over: a scan sends many batches. */
async function noteStale({ registry, now }: DocumentParts, { entity }: NamedCollection): Promise<void> {
  const before = (await scanNotes(registry)).get(entity.path) ?? { scanned_at: null, unread: 0 };
  const moment = now().getTime();
  const left = before.stale_until === undefined ? 0 : Date.parse(before.stale_until) - moment;
  if (left > STALE_MS / 2) return;
  const note = { ...before, stale_until: new Date(moment + STALE_MS).toISOString() };
  await registry.annotate('document', SCAN_NOTE, new Map([[entity.path, note]]));
}
