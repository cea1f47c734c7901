import { resolve } from 'node:path';
import { isNotFoundError } from '../../documents/collections/collection-record.ts';
import type { Collection } from '../../documents/contract/document-answers.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { openDocumentReader } from '../../documents/read/open-document-reader.ts';
import { yieldProcessor } from '../../documents/read/text/yield-processor.ts';
import { countFiles } from '../../documents/scan/count-files.ts';
import {
  checkFolder,
  MAX_FILES_OF_FOLDER,
  type ScanReport,
  scanFolder,
  tooManyFiles,
} from '../../documents/scan/scan-folder.ts';
import type { Backend } from '../context/backend.ts';
import { type CommandRun, warn } from '../context/context.ts';
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

/** How many files the scan will look at, for its bar. A collection that was scanned before has about as many as then. */
async function expectedFiles(run: CommandRun, collection: Collection): Promise<number> {
  if (collection.scanned_at !== null) return collection.files;
  const count = await countFiles(collection, MAX_FILES_OF_FOLDER, run.signal);
  // Said at the start: reading so many takes long.
  if (count > MAX_FILES_OF_FOLDER) warn(run, tooManyFiles(MAX_FILES_OF_FOLDER));
  return Math.min(count, MAX_FILES_OF_FOLDER);
}

/** Scans a collection with a progress bar. */
export async function scanCollection(
  run: CommandRun,
  documents: Documents,
  collection: Collection,
  { isServer }: Pick<Backend, 'isServer'>,
): Promise<ScanReport> {
  const { err, signal } = run;
  if (isServer) yieldProcessor();
  const reader = openDocumentReader();
  const total = await expectedFiles(run, collection);
  try {
    return await withProgress({ terminal: err, label: `reading ${collection.name}`, unit: 'files' }, (progress) =>
      scanFolder(collection, {
        documents,
        reader,
        signal,
        rests: isServer,
        onProgress: ({ seen }) => progress.update(seen, Math.max(total, seen)),
      }),
    );
  } finally {
    await reader.close();
  }
}
