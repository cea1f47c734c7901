import { realpath } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import type { Settings } from '../../config.ts';
import type { Collection } from '../../documents/contract/document-answers.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { openDocumentReader } from '../../documents/read/open-document-reader.ts';
import { yieldProcessor } from '../../documents/read/text/yield-processor.ts';
import { type ScanReport, scanFolder } from '../../documents/scan/scan-folder.ts';
import { watchFolders } from '../../documents/scan/watch-folders.ts';
import type { Logger } from '../../http/log/logger.ts';
import { collectionPath } from '../../model/entity-types/document.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import type { ScopedRegistry } from '../../registry/contract/registry.ts';
import type { Backend } from '../context/backend.ts';
import { type CommandRun, warn } from '../context/context.ts';
import { embedMissing, warnUnembedded } from '../model/missing-vectors.ts';
import { oneLine } from '../terminal/text-width.ts';

/** Whether a scan has stored or removed something. */
const hasChanged = ({ stored, removed }: ScanReport): boolean => stored > 0 || removed > 0;

const lineOf = ({ collection, stored, removed, unread }: ScanReport): string =>
  oneLine(
    `${collection}: ${stored} stored, ${removed} removed${unread.length === 0 ? '' : `, ${unread.length} not read`}`,
  );

/** What is watched. A collection that is added later is watched too. */
async function beginning(documents: Documents, wanted: ReadonlySet<string>): Promise<string> {
  const watched = (await documents.collections()).collections.filter((one) => isWatched(one, wanted));
  const names = oneLine(watched.map(({ name }) => name).join(', '));
  if (watched.length > 0) return `Watching ${names}. Ctrl-C ends it.`;
  return 'No collection has a folder. Waiting for `dowser docs add FOLDER`. Ctrl-C ends it.';
}

const isWatched = ({ name, folder }: Collection, wanted: ReadonlySet<string>): boolean =>
  folder !== null && (wanted.size === 0 || wanted.has(name));

/** Keeps collections like their folders until Ctrl-C. Prints what changed, with `--json` a line for each scan. */
export async function watchCollections(
  run: CommandRun,
  documents: Documents,
  names: readonly string[],
  backend: Backend,
  settings: Settings,
) {
  const { signal, options } = run;
  const wanted = new Set<string>();
  for (const name of names) wanted.add((await documents.collection(name)).name);
  if (backend.isServer) yieldProcessor();
  const reader = openDocumentReader();
  let scans = 0;
  if (options.json !== true) run.out.write(`${await beginning(documents, wanted)}\n`);
  const known = new Set<string>();
  try {
    await watchFolders({
      signal,
      collections: async () => (await documents.collections()).collections.filter((one) => isWatched(one, wanted)),
      scan: (collection) => scanFolder(collection, { documents, reader, signal, rests: backend.isServer }),
      async onScanned(report) {
        scans++;
        const isFirst = !known.has(report.collection);
        known.add(report.collection);
        if (!isFirst && !hasChanged(report)) return;
        run.out.write(options.json === true ? `${JSON.stringify(report)}\n` : `${lineOf(report)}\n`);
        // A server has its own queue.
        if (!backend.isServer && hasChanged(report)) warnUnembedded(run, await embedMissing(run, settings, backend));
      },
      onProblem: (name, error) => {
        const { message, hint } = toDowserError(error);
        warn(run, `${name === '' ? '' : `${name}: `}${message} ${hint ?? ''}`.trim());
      },
    });
  } finally {
    await reader.close();
  }
  return { json: { scans }, lines: () => [`Watched until now: ${scans} scans.`] };
}

/**
 * The same in a server, for collections whose folder is in one of `roots` and that were made without a key, as the commands on this
 * machine do. A caller with a key can name any folder in a collection, and would then read it.
 */
export async function watchServed(
  documents: Documents,
  registry: Pick<ScopedRegistry, 'getMany'>,
  roots: readonly string[],
  { logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const reader = openDocumentReader();
  try {
    await watchFolders({
      signal,
      async collections() {
        const found: Collection[] = [];
        for (const collection of (await documents.collections()).collections) {
          const [stored] = await registry.getMany('document', [collectionPath(collection.name)]);
          const isOfOperator = stored !== undefined && stored.entity.owner === undefined;
          if (isOfOperator && (await isInside(collection.folder, roots))) found.push(collection);
        }
        return found;
      },
      scan: (collection) => scanFolder(collection, { documents, reader, signal, rests: true }),
      onScanned({ collection, stored, removed, unread }) {
        if (stored > 0 || removed > 0) logger.info({ collection, stored, removed, unread: unread.length }, 'scanned');
      },
      onProblem(collection, error) {
        const { code, message } = toDowserError(error);
        logger.warn({ collection, code, reason: message }, 'a collection could not be scanned');
      },
    });
  } finally {
    await reader.close();
  }
}

/** By where they really are: a link in a root may lead anywhere. */
async function isInside(folder: string | null, roots: readonly string[]): Promise<boolean> {
  const place = folder === null ? undefined : await realpath(folder).catch(() => undefined);
  if (place === undefined) return false;
  for (const root of roots) {
    const way = await realpath(root).then(
      (real) => relative(real, place),
      () => '..',
    );
    // On Windows, the way to another drive is absolute.
    if (isAbsolute(way)) continue;
    if (way !== '..' && !way.startsWith('../') && !way.startsWith('..\\')) return true;
  }
  return false;
}
