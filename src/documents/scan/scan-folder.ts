import { realpath, stat } from 'node:fs/promises';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { chunkingKey } from '../collections/collection-record.ts';
import type { Collection, FileStates } from '../contract/document-answers.ts';
import { DEFAULT_READ_LIMITS, type DocumentReader } from '../contract/document-reader.ts';
import { type FileChange, MAX_WARNING_CHARS, type UnreadFile } from '../contract/document-requests.ts';
import type { Documents } from '../contract/documents.ts';
import { extensionOf } from '../read/detect-format.ts';
import { fileIdOf, hashFile } from './file-id.ts';
import { SendQueue } from './send-queue.ts';
import { chunkOptions, isUnreadable, toContent } from './to-file-change.ts';
import { type WalkedFile, type WalkProblem, walkFolder } from './walk-folder.ts';

export interface ScanOptions {
  readonly documents: Documents;
  readonly reader: Pick<DocumentReader, 'read'>;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
  /** Rest after each write: a server has others to answer. Default false. */
  readonly rests?: boolean;
  /** More files than this are left out, with a problem that says so. Default 200,000. */
  readonly maxFiles?: number;
}

export interface ScanProgress {
  /** Files that were looked at. */
  readonly seen: number;
  /** Files that were read and stored. */
  readonly stored: number;
  readonly bytes: number;
  readonly path: string;
}

export interface ScanReport {
  readonly collection: string;
  readonly seen: number;
  /** New or changed. */
  readonly stored: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly unread: readonly UnreadFile[];
  /** New or changed files that were read, though not as they should be: a PDF with a damaged page. */
  readonly warned: readonly WarnedFile[];
  readonly problems: readonly string[];
}

export interface WarnedFile {
  readonly path: string;
  /** What of it was not read, or not as it was meant. */
  readonly message: string;
}

export const MAX_FILES_OF_FOLDER = 200_000;
/** A larger file is refused by the reader, so its hash is not needed. */
const MAX_BYTES = DEFAULT_READ_LIMITS.maxBytes;
/** What is kept of the files that cannot be read. */
const MAX_UNREAD = 10_000;
/** The list is sent in one request. */
const MAX_UNREAD_BYTES = 4_000_000;
const MAX_PROBLEMS = 100;

export const tooManyFiles = (max: number): string =>
  `The folder has more than ${max.toLocaleString('en-US')} files, and the others are left out. Choose files with --include and --exclude, or add its folders one by one.`;

/** The folder of a collection, without links. Throws NOT_FOUND if it is gone: nothing of the collection is removed then. */
export async function folderOf({ name, folder }: Pick<Collection, 'name' | 'folder'>): Promise<string> {
  if (folder === null) {
    throw new DowserError('INVALID_REQUEST', `The collection '${name}' has no folder: its files were uploaded.`, {
      field: 'collection',
      hint: 'Upload a file again to change it.',
    });
  }
  const state = await stateOf(folder);
  if (state === 'folder') return realpath(folder);
  throw new DowserError('NOT_FOUND', `${folder} ${state}. The collection '${name}' keeps its documents.`, {
    field: 'folder',
    hint: `Restore the folder, or remove the collection with \`dowser docs remove ${name}\`.`,
  });
}

/** Throws NOT_FOUND for a path that is no folder. */
export async function checkFolder(folder: string): Promise<void> {
  const state = await stateOf(folder);
  if (state === 'folder') return;
  throw new DowserError('NOT_FOUND', `${folder} ${state}.`, { field: 'folder', hint: 'Name the folder to index.' });
}

async function stateOf(folder: string): Promise<'folder' | 'does not exist' | 'is not a folder'> {
  const stats = await stat(folder).catch(() => null);
  if (stats === null) return 'does not exist';
  return stats.isDirectory() ? 'folder' : 'is not a folder';
}

/**
 * Reads a folder into its collection. Only new and changed files are read, and each is stored by itself: a scan that is
 * interrupted goes on where it stopped. Files that are gone are removed at the end of a complete scan.
 */
export async function scanFolder(collection: Collection, options: ScanOptions): Promise<ScanReport> {
  const { documents, signal, maxFiles = MAX_FILES_OF_FOLDER } = options;
  const root = await folderOf(collection);
  const { name, include, exclude } = collection;
  const scan = new Scan(collection, await documents.fileStates(name), options);
  try {
    for await (const found of walkFolder(root, { include, exclude, signal })) {
      if (scan.seen >= maxFiles) {
        scan.note({ path: '', problem: tooManyFiles(maxFiles), hidesFiles: true });
        break;
      }
      await scan.take(found);
    }
  } catch (thrown) {
    // What was read is not read again.
    await scan.flush();
    throw thrown;
  }
  return scan.end();
}

/** Formats that an earlier version did not read. */
const READ_NOW = ['xlsx', 'pptx'];
const isReadNow = ({ path, code, message }: UnreadFile): boolean =>
  code === 'unsupported' && message.includes('Save it as DOCX') && READ_NOW.includes(extensionOf(path));

class Scan {
  readonly #collection: Collection;
  readonly #chunking: string;
  readonly #options: ScanOptions;
  readonly #known: ReadonlyMap<string, FileStates['files'][number]>;
  readonly #unreadBefore: ReadonlyMap<string, UnreadFile>;
  readonly #unread: UnreadFile[] = [];
  readonly #warned: WarnedFile[] = [];
  readonly #problems: string[] = [];
  readonly #gone: Set<string>;
  /** Paths of files that were sent in place of a file of the folder. */
  readonly #sent: ReadonlySet<string>;
  readonly #queue: SendQueue;
  #stored = 0;
  #unchanged = 0;
  #bytes = 0;
  #unreadBytes = 0;
  #isPartial = false;
  #saidStaleAt = Number.NEGATIVE_INFINITY;
  seen = 0;

  constructor(collection: Collection, { files, unread }: FileStates, options: ScanOptions) {
    this.#collection = collection;
    this.#chunking = chunkingKey(collection.chunking);
    this.#options = options;
    this.#known = new Map(files.map((file) => [file.id, file]));
    this.#unreadBefore = new Map(unread.map((file) => [file.path, file]));
    this.#gone = new Set(files.filter(({ sent }) => !sent).map(({ id }) => id));
    this.#sent = new Set(files.filter(({ sent }) => sent).map(({ path }) => path));
    const onRefused = (file: FileChange, error: unknown) => this.#refused(file, error);
    this.#queue = new SendQueue(options.documents, collection.name, { onRefused, rests: options.rests });
  }

  note({ path, problem, hidesFiles }: WalkProblem): void {
    // What is below was not seen, and is not gone for that.
    if (hidesFiles) this.#isPartial = true;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(path === '' ? problem : `${path}: ${problem}`);
  }

  async take(found: WalkedFile | WalkProblem): Promise<void> {
    if ('problem' in found) return this.note(found);
    this.seen += 1;
    if (this.#sent.has(found.path)) {
      this.#unchanged += 1;
      return;
    }
    const id = fileIdOf(found.location);
    this.#gone.delete(id);
    const known = this.#known.get(id);
    const isSame = known?.chunking === this.#chunking && known.path === found.path;
    if (isSame && known.size === found.size && known.mtime_ms === found.mtimeMs) {
      this.#unchanged += 1;
      if (this.seen % PROGRESS_FILES === 0) this.#progress(found.path);
      return;
    }
    const before = this.#unreadBefore.get(found.path);
    const isUnchanged = before?.size === found.size && before.mtime_ms === found.mtimeMs;
    if (isUnchanged && !isReadNow(before)) {
      this.#keepUnread(before);
      return;
    }
    await this.#read(id, found, isSame ? known.hash : undefined);
    this.#progress(found.path);
  }

  /** `hash` is that of the stored content, if it would be the same for the same bytes. */
  async #read(id: string, found: WalkedFile, hash: string | undefined): Promise<void> {
    const { signal, reader } = this.#options;
    const { path, location, size, mtimeMs: mtime_ms } = found;
    await this.#sayStale();
    const read =
      size > MAX_BYTES
        ? ''
        : await hashFile(location, MAX_BYTES, signal).catch((thrown: NodeJS.ErrnoException) => thrown);
    signal?.throwIfAborted();
    if (typeof read !== 'string' && read.code === 'ENOENT') {
      // Deleted since its folder was listed.
      if (this.#known.has(id)) this.#gone.add(id);
      return;
    }
    if (typeof read !== 'string') {
      this.#keepUnread({ path, size, mtime_ms, code: 'no_access', message: `It cannot be opened (${read.code}).` });
      return;
    }
    const file = { id, path, size, mtime_ms, hash: read, sent: false };
    if (read === hash) {
      await this.#queue.add(file, 0);
      this.#unchanged += 1;
      return;
    }
    const { chunking } = this.#collection;
    const chunk = { documentId: id, options: chunkOptions(chunking) };
    const content = toContent(id, await reader.read({ path: location }, { signal, chunk }), chunking);
    if (isUnreadable(content)) {
      // A file that was readable before must not be found by what it no longer says. One that is being written is read next time.
      if (this.#known.has(id) && content.code !== 'changed') this.#gone.add(id);
      this.#keepUnread({ path, size, mtime_ms, ...content });
      return;
    }
    this.#stored += 1;
    this.#bytes += size;
    if (content.warnings.length > 0 && this.#warned.length < MAX_UNREAD)
      this.#warned.push({ path, message: content.warnings.join(' ') });
    await this.#queue.add({ ...file, content }, content.text.length);
  }

  /** Answers are stale from the first change on that a scan has found until it has stored them all. */
  async #sayStale(): Promise<void> {
    if (performance.now() - this.#saidStaleAt < SAY_STALE_MS) return;
    this.#saidStaleAt = performance.now();
    await this.#options.documents.putFiles(this.#collection.name, { scanning: true });
  }

  #keepUnread(given: UnreadFile): void {
    const file = { ...given, message: given.message.slice(0, MAX_WARNING_CHARS) };
    this.#unreadBytes += Buffer.byteLength(JSON.stringify(file));
    if (this.#unread.length < MAX_UNREAD && this.#unreadBytes <= MAX_UNREAD_BYTES) this.#unread.push(file);
  }

  /** One file that the registry does not take costs only itself. */
  #refused({ path, size, mtime_ms }: FileChange, error: unknown): void {
    this.#stored -= 1;
    this.#keepUnread({ path, size, mtime_ms, code: 'refused', message: toDowserError(error).message });
  }

  #progress(path: string): void {
    this.#options.onProgress?.({ seen: this.seen, stored: this.#stored, bytes: this.#bytes, path });
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }

  async end(): Promise<ScanReport> {
    await this.flush();
    const { documents } = this.#options;
    const { name } = this.#collection;
    const gone = this.#isPartial ? [] : [...this.#gone];
    let removed = 0;
    for (let at = 0; at < gone.length; at += REMOVED_AT_ONCE) {
      removed += (await documents.putFiles(name, { remove: gone.slice(at, at + REMOVED_AT_ONCE) })).removed;
    }
    await documents.putFiles(name, { unread: this.#unread, scanned: true });
    return {
      collection: name,
      seen: this.seen,
      stored: this.#stored,
      unchanged: this.#unchanged,
      removed,
      unread: this.#unread,
      warned: this.#warned,
      problems: this.#problems,
    };
  }
}

const REMOVED_AT_ONCE = 500;
const PROGRESS_FILES = 100;
const SAY_STALE_MS = 30_000;
