import type { Dirent } from 'node:fs';
import { lstat, opendir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { IgnoreRules, patternList } from './ignore-rules.ts';

export interface WalkOptions {
  /** Only files that match any of these. Empty: all. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

export interface WalkedFile {
  /** In the folder, with `/` between its parts. */
  readonly path: string;
  /** On this machine. */
  readonly location: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** A folder or file that cannot be looked at. */
export interface WalkProblem {
  readonly path: string;
  readonly problem: string;
  /** Whether it may hide files that were seen before. A name that is no text never named a document. */
  readonly hidesFiles: boolean;
}

/** Never documents: what version control, package managers and systems keep beside them. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '__pycache__']);
const isSkipped = (name: string) => name.startsWith('.') || SKIPPED.has(name);

/** A name as SQLite and JSON can have it. Other systems allow line breaks and bytes that are no text. */
const isUsable = (name: string) => !/[\p{Cc}\ufffd]/u.test(name);

const NOT_TEXT = { problem: 'The name is not text.', hidesFiles: false };

const reasonOf = (thrown: unknown): string => (thrown as NodeJS.ErrnoException).code ?? String(thrown);

interface Folder {
  readonly path: string;
  readonly rules: IgnoreRules;
}

/**
 * Every regular file below a folder that the patterns and .gitignore files let pass, one at a time: a folder may have a million.
 * Links are not followed: a link out of the folder would read what its owner did not add, one into it the same file twice.
 */
export async function* walkFolder(root: string, options: WalkOptions): AsyncGenerator<WalkedFile | WalkProblem> {
  const include = options.include.length === 0 ? null : patternList(options.include);
  const exclude = options.exclude.length === 0 ? null : patternList(options.exclude);
  const passes = (path: string) => include === null || include.matches(path, false) === true;
  const folders: Folder[] = [{ path: '', rules: new IgnoreRules() }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const { path: above } = folder;
    const rules = await withOwnRules(root, folder);
    const files: string[] = [];
    try {
      for await (const entry of await opendir(join(root, above), { bufferSize: AT_ONCE })) {
        options.signal?.throwIfAborted();
        if (isSkipped(entry.name)) continue;
        const path = above === '' ? entry.name : `${above}/${entry.name}`;
        const isFolder = entry.isDirectory();
        if (!isUsable(entry.name)) yield { path: path.replaceAll(/\p{Cc}/gu, '?'), ...NOT_TEXT };
        else if (rules.ignores(path, isFolder) || exclude?.matches(path, isFolder) === true) continue;
        else if (isFolder) folders.push({ path, rules });
        else if (!isEndless(entry) && passes(path)) files.push(path);
        if (files.length >= AT_ONCE) yield* filesAt(root, files.splice(0));
      }
      yield* filesAt(root, files);
    } catch (thrown) {
      options.signal?.throwIfAborted();
      yield { path: above, problem: `The folder cannot be read (${reasonOf(thrown)}).`, hidesFiles: true };
    }
  }
}

/** Files that are looked at together: one after the other, thousands would wait for the disk. */
const AT_ONCE = 64;

/** Pipes and devices have no end. Some file systems do not say what an entry is: `lstat` does. */
const isEndless = (entry: Dirent): boolean =>
  entry.isFIFO() || entry.isSocket() || entry.isBlockDevice() || entry.isCharacterDevice();

async function* filesAt(root: string, paths: readonly string[]): AsyncGenerator<WalkedFile | WalkProblem> {
  for (const found of await Promise.all(paths.map((path) => fileAt(root, path)))) if (found !== null) yield found;
}

async function fileAt(root: string, path: string): Promise<WalkedFile | WalkProblem | null> {
  const location = join(root, path);
  try {
    const stats = await lstat(location);
    // A link is no file here, and no folder above.
    return stats.isFile() ? { path, location, size: stats.size, mtimeMs: stats.mtimeMs } : null;
  } catch (thrown) {
    // Deleted since its folder was listed.
    if (reasonOf(thrown) === 'ENOENT') return null;
    return { path, problem: `The file cannot be looked at (${reasonOf(thrown)}).`, hidesFiles: true };
  }
}

/** More than any .gitignore has. */
const MAX_RULE_CHARS = 1_000_000;

async function withOwnRules(root: string, { path, rules }: Folder): Promise<IgnoreRules> {
  try {
    const text = await readFile(join(root, path, '.gitignore'), 'utf8');
    return rules.with(path, text.slice(0, MAX_RULE_CHARS));
  } catch {
    // Most folders have none.
    return rules;
  }
}
