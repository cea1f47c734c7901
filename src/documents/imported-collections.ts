import { isNotFoundError } from './collections/collection-record.ts';
import { collectionPath, type DocumentEntity, sourceIdOf } from './collections/document-parts.ts';
import { fileChangesSchema } from './contract/document-requests.ts';
import type { Documents } from './contract/documents.ts';
import { sentFileId } from './scan/file-id.ts';

/** What the notes on an imported file are made of. */
interface ImportedFile {
  readonly id: string;
  readonly path: string;
  readonly size: number;
}

/** Files of one write. */
const BATCH = 500;

/**
 * Collections that came as entities, such as those of an export. What the registry notes about a collection and its files is
 * no part of an entity, so it is noted here, after the entities are stored. The next scan of a folder reads its files again.
 */
export class ImportedCollections {
  readonly #collections = new Set<string>();
  readonly #files = new Map<string, ImportedFile[]>();

  add(entity: DocumentEntity): void {
    const { path, name, collection, files, body } = entity;
    if (collection !== undefined && path === collectionPath(name)) this.#collections.add(name);
    const id = sourceIdOf(path);
    for (const file of files) {
      const named = this.#files.get(file.collection) ?? [];
      if (named.length === 0) this.#files.set(file.collection, named);
      named.push({ id, path: file.path, size: body.length });
    }
  }

  get isEmpty(): boolean {
    return this.#collections.size === 0 && this.#files.size === 0;
  }

  async restore(documents: Pick<Documents, 'collections' | 'collection' | 'putFiles'>): Promise<void> {
    const listed = new Set((await documents.collections()).collections.map(({ name }) => name));
    for (const name of this.#collections)
      if (!listed.has(name)) await unlessGone(documents.putFiles(name, { unread: [] }));
    for (const [name, files] of this.#files) await restoreFiles(documents, name, files);
  }
}

async function restoreFiles(
  documents: Pick<Documents, 'collection' | 'putFiles'>,
  name: string,
  files: readonly ImportedFile[],
): Promise<void> {
  const collection = await unlessGone(documents.collection(name));
  // Documents of a collection that was not imported.
  if (collection === undefined) return;
  const isSent = (file: ImportedFile) => collection.folder === null || file.id === sentFileId(name, file.path);
  const changes = files
    .map((file) => ({ ...file, mtime_ms: 0, hash: '', sent: isSent(file) }))
    // An entity that no scan has made may have any path.
    .filter((file) => fileChangesSchema.safeParse({ put: [file] }).success);
  for (let at = 0; at < changes.length; at += BATCH) {
    await documents.putFiles(name, { put: changes.slice(at, at + BATCH) });
  }
}

/** A collection may have been refused, or removed meanwhile. */
function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  return asked.catch((thrown: unknown) => {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  });
}
