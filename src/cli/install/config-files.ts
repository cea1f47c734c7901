import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import type { TextChange } from '../../sources/formats/json-with-comments.ts';
import type { Written } from './config-edit.ts';

/** The text of a file; null if there is none. Throws INVALID_FILE if it cannot be read. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new DowserError('INVALID_FILE', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

/** Replaces a file in one step, or creates it for its user only. A link stays a link: what it points to is replaced. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  await mkdir(dirname(target), { recursive: true });
  const mode = ((await stat(target).catch(() => undefined))?.mode ?? 0o600) & 0o777;
  // Nobody can put a link there first: the name cannot be known, and an existing file is refused.
  const fresh = `${target}.${randomUUID()}`;
  try {
    await writeFile(fresh, text, { mode, flag: 'wx' });
    await chmod(fresh, mode);
    await rename(fresh, target);
  } catch (cause) {
    await rm(fresh, { force: true });
    throw cause;
  }
}

/** What one installation did, to undo it. It has its own entry only, which refers to secrets by name; other entries may have some. */
export interface Installation {
  readonly path: string;
  readonly client: string;
  readonly file: string;
  readonly name: string;
  readonly written: Written;
  /** The file was created by it. */
  readonly created: boolean;
  readonly changes: readonly TextChange[];
  /** SHA-256 of the whole file afterwards. */
  readonly digest: string;
}

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const FILE = 'installs.json';

/** Every installation that was not undone, oldest first. */
export async function readInstallations(dataDir: string): Promise<readonly Installation[]> {
  const text = await readIfThere(join(dataDir, FILE));
  if (text === null) return [];
  try {
    return (JSON.parse(text) as readonly Kept[]).map(installationOf);
  } catch (cause) {
    throw new DowserError('INVALID_FILE', `${join(dataDir, FILE)} is not JSON.`, {
      hint: 'Delete it: installed servers then stay where they are.',
      cause,
    });
  }
}

/** Earlier versions kept a part of the file that may have other entries. It is forgotten: undo then takes out the entry. */
type Kept = Installation | (Omit<Installation, 'changes'> & { readonly change: TextChange });

function installationOf(kept: Kept): Installation {
  if (!('change' in kept)) return kept;
  const { change: _, ...rest } = kept;
  return { ...rest, changes: [], digest: '' };
}

export const writeInstallations = (dataDir: string, installations: readonly Installation[]): Promise<void> =>
  replaceFile(join(dataDir, FILE), `${JSON.stringify(installations, null, 2)}\n`);

export const removeFile = (file: string): Promise<void> => rm(file);
