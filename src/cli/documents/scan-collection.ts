import { resolve } from 'node:path';
import { isNotFoundError } from '../../documents/collection-record.ts';
import type { Collection } from '../../documents/document-answers.ts';
import type { Documents } from '../../documents/documents.ts';
import { openDocumentReader } from '../../documents/read/document-process.ts';
import { checkFolder, folderOf, type ScanReport, scanFolder } from '../../documents/scan/scan-folder.ts';
import { walkFolder } from '../../documents/scan/walk-folder.ts';
import type { CommandRun } from '../context.ts';
import { withProgress } from '../terminal/progress.ts';
import { chunkingOf, nameFor } from './collection-options.ts';

/** Adds a folder as a collection, or goes on with one that was interrupted. */
export async function addFolder(run: CommandRun, documents: Documents, given: string): Promise<Collection> {
  const { name, include, exclude, note } = run.options;
  const folder = resolve(given);
  const called = nameFor(folder, name);
  await checkFolder(folder);
  const known = await documents.collection(called).catch((thrown: unknown) => {
    if (isNotFoundError(thrown)) return undefined;
    throw thrown;
  });
  // The same folder under the same name again: the first time was interrupted, or it is a second look.
  if (known?.folder === folder) return known;
  const chunking = chunkingOf(run.options);
  return documents.createCollection({
    name: called,
    folder,
    include: [...((include as readonly string[] | undefined) ?? [])],
    exclude: [...((exclude as readonly string[] | undefined) ?? [])],
    ...(chunking === undefined ? {} : { chunking }),
    ...(note === undefined ? {} : { note: String(note) }),
  });
}

async function countFiles(collection: Collection, signal: AbortSignal): Promise<number> {
  const { include, exclude } = collection;
  let count = 0;
  for await (const found of walkFolder(await folderOf(collection), { include, exclude, signal })) {
    if ('location' in found) count += 1;
  }
  return count;
}

/** Scans a collection with a progress bar. */
export async function scanCollection(
  { err, signal }: CommandRun,
  documents: Documents,
  collection: Collection,
): Promise<ScanReport> {
  const reader = openDocumentReader();
  // A bar needs to know the end. A collection that was scanned before has about as many files as then.
  const total = collection.scanned_at === null ? await countFiles(collection, signal) : collection.files;
  try {
    return await withProgress({ terminal: err, label: `reading ${collection.name}`, unit: 'files' }, (progress) =>
      scanFolder(collection, {
        documents,
        reader,
        signal,
        onProgress: ({ seen }) => progress.update(seen, Math.max(total, seen)),
      }),
    );
  } finally {
    await reader.close();
  }
}
