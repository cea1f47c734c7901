import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Memories } from '../../memories/memories.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { LocalFiles } from '../server/create-mcp-server.ts';
import { type IngestOptions, ingestFiles, ingestOptionsOf, readForIngest, uploadOf, wholeOf } from './ingest-file.ts';
import { needed, type ServiceArguments } from './service-arguments.ts';

const DEFAULT_EXTENSIONS = ['pdf', 'txt', 'md', 'json'];
const DEFAULT_FILES = 100;
const MAX_FILES = 1000;
/** Failures that the answer names. */
const MAX_NAMED = 20;

/** A server reads no file because a request names it: a caller over the network must not learn what is on its disk. */
const NO_FILES = new DowserError(
  'INVALID_REQUEST',
  'This server does not read files of its own disk for its clients.',
  {
    field: 'file_path',
    hint: 'Send the file to POST /api/documents/upload, or run `dowser mcp --toolset memory` or `dowser docs add` where the file is.',
  },
);

/** Stores a file, or the files of a folder, as memories. */
export async function ingestService(
  memories: Memories,
  args: ServiceArguments,
  files: LocalFiles | null,
): Promise<string> {
  const options = ingestOptionsOf(args);
  const isFolder = args.directory_path != null;
  if (isFolder === (args.file_path != null)) {
    throw new DowserError('INVALID_REQUEST', "Give 'file_path' or 'directory_path', and not both.", {
      field: 'file_path',
    });
  }
  if (files === null) throw NO_FILES;
  if (!isFolder) return oneFile(memories, resolve(needed(args, 'file_path')), options, files);
  return folder(memories, resolve(needed(args, 'directory_path')), args, options, files);
}

async function oneFile(memories: Memories, path: string, options: IngestOptions, files: LocalFiles): Promise<string> {
  const { stored, duplicates, id, warnings } = await ingestOne(memories, basename(path), path, options, files);
  return [`Ingested ${basename(path)}: ${counts(stored, duplicates)} (upload_id: ${id})`, ...warnings].join('\n');
}

async function ingestOne(
  memories: Memories,
  name: string,
  path: string,
  options: IngestOptions,
  { reader, now }: LocalFiles,
) {
  const file = await readForIngest(reader, name, { path }, options);
  const upload = uploadOf([file]);
  return { ...(await ingestFiles(memories, upload, [file], options, now())), id: upload.id, warnings: file.warnings };
}

const counts = (stored: number, duplicates: number): string =>
  `${stored} ${stored === 1 ? 'chunk' : 'chunks'} stored${duplicates === 0 ? '' : `, ${duplicates} stored before`}`;

async function folder(
  memories: Memories,
  root: string,
  args: ServiceArguments,
  options: IngestOptions,
  files: LocalFiles,
): Promise<string> {
  const found = await stat(root).catch(() => null);
  if (found?.isDirectory() !== true) {
    throw new DowserError(
      'INVALID_REQUEST',
      `'directory_path' is ${showValue(args.directory_path)}: there is no such folder.`,
      {
        field: 'directory_path',
      },
    );
  }
  const maxFiles = wholeOf('max_files', args.max_files, DEFAULT_FILES, [1, MAX_FILES]);
  const endings = endingsOf(args);
  const { walkFolder } = await import('../../documents/scan/walk-folder.ts');
  const walked = walkFolder(root, {
    include: endings.map((ending) => `*.${ending}`),
    exclude: isRecursive(args) ? [] : ['*/'],
  });
  const failures: string[] = [];
  let read = 0;
  let total = { stored: 0, duplicates: 0 };
  let isCut = false;
  for await (const one of walked) {
    if (read + failures.length >= maxFiles) {
      isCut = true;
      break;
    }
    try {
      if ('problem' in one) throw new DowserError('INVALID_FILE', `${one.path}: ${one.problem}`);
      const { stored, duplicates } = await ingestOne(memories, one.path, one.location, options, files);
      total = { stored: total.stored + stored, duplicates: total.duplicates + duplicates };
      read += 1;
    } catch (thrown) {
      const error = toDowserError(thrown);
      if (error.code !== 'INVALID_FILE') throw thrown;
      failures.push(error.message);
    }
  }
  if (read + failures.length === 0) return `There is no file that ends in ${endings.join(', ')} in ${showValue(root)}.`;
  return [
    `Ingested ${read} ${read === 1 ? 'file' : 'files'}: ${counts(total.stored, total.duplicates)}`,
    ...(failures.length === 0 ? [] : [`Not read: ${failures.length}`]),
    ...failures.slice(0, MAX_NAMED),
    ...(isCut ? [`There are more files: raise max_files (${maxFiles}) to read them.`] : []),
  ].join('\n');
}

function isRecursive({ recursive }: ServiceArguments): boolean {
  if (recursive == null || typeof recursive === 'boolean') return recursive ?? true;
  throw new DowserError('INVALID_REQUEST', `'recursive' is ${showValue(recursive)}: must be true or false.`, {
    field: 'recursive',
  });
}

/** The extensions without the point that is allowed before one. */
function endingsOf({ file_extensions }: ServiceArguments): string[] {
  const given = file_extensions ?? DEFAULT_EXTENSIONS;
  const list: readonly unknown[] =
    typeof given === 'string' ? given.split(',') : Array.isArray(given) && given.length > 0 ? given : [given];
  return list.map((one) => {
    const [, extension] = /^\s*\.?(\w{1,16})\s*$/.exec(String(one)) ?? [];
    if (extension !== undefined) return extension;
    throw new DowserError('INVALID_REQUEST', `'file_extensions' has ${showValue(one)}: must be an ending such as md.`, {
      field: 'file_extensions',
    });
  });
}
