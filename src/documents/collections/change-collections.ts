import { idOf } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith } from '../../model/parse/parse.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';
import { blockedPaths } from '../../registry/write/blocked.ts';
import type { Collection, CollectionList, RemovedCollection } from '../contract/document-answers.ts';
import {
  type ChangeCollection,
  type CreateCollection,
  changeCollectionSchema,
  createCollectionSchema,
} from '../contract/document-requests.ts';
import { allCollections, findCollection, type NamedCollection, toCollection } from './collection-record.ts';
import { collectionPath, type DocumentEntity, type DocumentParts } from './document-parts.ts';
import { FILE_NOTE, fileNotes, isIn, SCAN_NOTE, type ScanNote, scanNotes } from './file-notes.ts';

export async function listCollections({ registry, counts }: DocumentParts): Promise<CollectionList> {
  const [collections, files, scans] = [await allCollections(registry), await counts(), await scanNotes(registry)];
  const shown = collections.map((one) => toCollection(one, files.get(one.name), scans.get(one.entity.path)));
  return { collections: shown, total: shown.length };
}

export async function getCollection({ registry, counts }: DocumentParts, name: string): Promise<Collection> {
  const found = await findCollection(registry, name);
  const scans = await scanNotes(registry);
  return toCollection(found, (await counts()).get(found.name), scans.get(found.entity.path));
}

const NEVER_SCANNED: ScanNote = { scanned_at: null, unread: 0 };

export async function createCollection(parts: DocumentParts, input: CreateCollection): Promise<Collection> {
  const { name, folder, include, exclude, chunking, note } = parseWith(createCollectionSchema, input, 'collection');
  const path = collectionPath(name);
  const collection = { folder, include, exclude, chunking, notes: note === '' ? [] : [{ folder: '', note }] };
  await parts.registry.changeMany(
    'document',
    [path],
    (found) => {
      if (found.size > 0) throw taken(name, found.get(path)!);
      return [{ type: 'document', path, name, description: note, collection }];
    },
    { notes: new Map([[path, { [SCAN_NOTE]: NEVER_SCANNED }]]) },
  );
  return getCollection(parts, name);
}

function taken(name: string, { collection }: DocumentEntity): DowserError {
  const folder = collection?.folder === undefined ? '' : ` (${collection.folder})`;
  return new DowserError('ALREADY_EXISTS', `There is a collection '${name}'${folder}.`, {
    field: 'name',
    hint: `Choose another name, scan it again with \`dowser docs scan ${name}\`, or remove it first.`,
  });
}

/** A note replaces the one on the same folder; an empty one removes it. */
function mergedNotes(
  before: readonly { readonly folder: string; readonly note: string }[],
  added: readonly { readonly folder: string; readonly note: string }[],
) {
  const notes = new Map(before.map(({ folder, note }) => [folder, note]));
  for (const { folder, note } of added) notes.set(trimEndChars(folder.replace(/^\.?\/+/, ''), '/'), note.trim());
  return [...notes].filter(([, note]) => note !== '').map(([folder, note]) => ({ folder, note }));
}

export async function changeCollection(
  parts: DocumentParts,
  name: string,
  input: ChangeCollection,
): Promise<Collection> {
  const { notes: added = [], ...fields } = parseWith(changeCollectionSchema, input, 'changes');
  const { entity } = await findCollection(parts.registry, name);
  await parts.registry.change('document', entity.path, (stored) => {
    const before = stored.collection!;
    const notes = mergedNotes(before.notes, added);
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const description = notes.find(({ folder }) => folder === '')?.note ?? '';
    return { ...stored, description, collection: { ...before, ...given, notes } };
  });
  return getCollection(parts, name);
}

/** Documents in one step: those of no other collection are deleted, others lose this one. */
const BATCH = 500;

export async function removeCollection(parts: DocumentParts, given: string): Promise<RemovedCollection> {
  const { registry, contents } = parts;
  const { name, entity } = await findCollection(registry, given);
  await registry.checkTag('document', entity.path);
  const own = [...(await fileNotes(registry))].filter(([, note]) => isIn(note, name));
  const alone = own.filter(([, { files }]) => files.every(({ collection }) => collection === name));
  const blocked = await blockedPaths(registry, 'document');
  // First, or it would be refused when half of the files are gone.
  alone.sort(([a], [b]) => Number(blocked.has(b)) - Number(blocked.has(a)));
  const shared = own.filter(([, { files }]) => files.some(({ collection }) => collection !== name));
  for (let at = 0; at < alone.length; at += BATCH) {
    await contents.deleteMany(
      'document',
      alone.slice(at, at + BATCH).map(([path]) => path),
      { within: idOf(entity) },
    );
  }
  for (let at = 0; at < shared.length; at += BATCH)
    await leave(contents, { name, entity }, shared.slice(at, at + BATCH));
  // Last: a removal that is interrupted can be repeated.
  await registry.deleteMany('document', [entity.path]);
  return { name, removed: alone.length, kept: shared.length };
}

export async function leave(
  registry: DocumentParts['registry'],
  { name, entity }: Pick<NamedCollection, 'name' | 'entity'>,
  shared: readonly (readonly [string, { readonly files: readonly { readonly collection: string }[] }])[],
): Promise<void> {
  if (shared.length === 0) return;
  const notes = new Map(
    shared.map(([path, note]) => {
      const files = note.files.filter(({ collection }) => collection !== name);
      return [path, { [FILE_NOTE]: { ...note, files } }] as const;
    }),
  );
  await registry.changeMany(
    'document',
    shared.map(([path]) => path),
    (found) =>
      [...found.values()].map((document) => ({
        ...document,
        files: document.files.filter(({ collection }) => collection !== name),
      })),
    { vectors: 'later', notes, within: idOf(entity) },
  );
}
