import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../config.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import { copyCollection } from '../../documents/export/copy-collection.ts';
import { copyPackages } from '../../documents/export/copy-packages.ts';
import { INDEX_FOLDER, SERVER_FOLDER } from '../../documents/export/exported-config.ts';
import { folderFiles } from '../../documents/export/folder-files.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import type { CommandRun } from '../context/context.ts';
import { withProgress } from '../terminal/progress.ts';

/** What the server of an exported folder runs with. Those that are not installed are left out. */
const PACKAGES = [
  '@hono/node-server',
  '@huggingface/tokenizers',
  '@modelcontextprotocol/server',
  '@photostructure/sqlite',
  'hono',
  'onnxruntime-common',
  'zod',
];

export interface ExportReport {
  readonly collection: string;
  readonly folder: string;
  readonly files: number;
  readonly chunks: number;
  /** Chunks without a vector. */
  readonly missing_vectors: number;
}

/** The root of this package, from its sources or from what was built. */
const packageRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
};

async function checkTarget(folder: string): Promise<void> {
  const entries = await readdir(folder).catch(() => []);
  if (entries.length === 0) return;
  throw new DowserError('ALREADY_EXISTS', `${folder} is not empty.`, {
    field: 'folder',
    hint: 'Name a new folder. Nothing was written.',
  });
}

/** Writes a collection as a folder with a server that needs nothing else. */
export async function exportCollection(
  run: CommandRun,
  from: { readonly documents: Documents; readonly registry: Pick<Registry, 'get'> },
  name: string,
  given: string,
  settings: Settings,
): Promise<ExportReport> {
  const { name: collection, notes } = await from.documents.collection(name);
  const folder = resolve(given);
  await checkTarget(folder);
  const root = packageRoot();
  const built = join(root, 'dist');
  if (!existsSync(join(built, 'http', 'exported', 'main.js'))) {
    throw new DowserError('NOT_FOUND', `There is no built server in ${built}.`, { hint: 'Run `npm run build` first.' });
  }
  await mkdir(folder, { recursive: true });
  const { files, missing, question } = await writeIndex(run, from, collection, folder, settings);
  await cp(built, join(folder, SERVER_FOLDER), {
    recursive: true,
    filter: (path) => !/\.(?:d\.ts|map|tsbuildinfo)$|[\\/]dist[\\/](?:cli|eval|sources)(?:[\\/]|$)/.test(path),
  });
  const packages = await copyPackages(PACKAGES, root, folder);
  const { dowserVersion } = await import('../../open.ts');
  const { chunks } = await from.documents.stats(collection);
  const isOff = settings.embeddings_provider === 'off';
  const config = {
    collection,
    embeddings: {
      provider: settings.embeddings_provider,
      ...(isOff ? {} : { model: settings.embeddings_model_name }),
      ...(isOff || settings.embeddings_dimensions === undefined ? {} : { dimensions: settings.embeddings_dimensions }),
    },
    dowser: dowserVersion(),
    allowed_origins: '*' as const,
  };
  const note = notes.find((one) => one.folder === '')?.note ?? '';
  const texts = folderFiles({ config, note, files, chunks, question, packages });
  for (const [file, text] of Object.entries(texts)) await writeFile(join(folder, file), text);
  return { collection, folder, files, chunks, missing_vectors: missing };
}

/** The frozen index. Vectors are those that are remembered; only missing ones are computed. */
async function writeIndex(
  { err, signal }: CommandRun,
  from: { readonly documents: Documents; readonly registry: Pick<Registry, 'get'> },
  collection: string,
  folder: string,
  settings: Settings,
): Promise<{ readonly files: number; readonly missing: number; readonly question: string }> {
  const { openEmbedderFor, openRegistry } = await import('../../open.ts');
  const { openDocuments } = await import('../../open-documents.ts');
  const embedder = await openEmbedderFor(settings);
  const index = { ...settings, data_dir: join(folder, INDEX_FOLDER) };
  const registry = await openRegistry(index, { embedder, background: false });
  try {
    const to = await openDocuments(registry);
    const files = await withProgress({ terminal: err, label: 'exporting', unit: 'files' }, (progress) =>
      copyCollection(collection, {
        from: from.documents,
        registry: from.registry,
        to,
        signal,
        onProgress: (done, total) => progress.update(done, total),
      }),
    );
    const { remaining } = embedder.embedder === null ? { remaining: 0 } : await registry.embedPending({ signal });
    const [first] = (await to.sources(collection)).sources;
    return { files, missing: remaining, question: first?.name ?? collection };
  } finally {
    await registry.close();
  }
}
