import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder that only the user can open, and its parents, one by one. `mkdirSync` with `recursive` never returns if the system reports a missing
 * parent that exists, as under /proc.
 */
export function makeFolder(dir: string): void {
  const missing: string[] = [];
  for (let at = resolve(dir); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder, folder === resolve(dir) ? { mode: 0o700 } : {});
    } catch (error) {
      // Another process may have created it.
      if (!isFolder(folder)) throw error;
    }
  }
  // Throws if there is a file of that name.
  if (!isFolder(dir)) mkdirSync(dir);
}

/** Lets only the user read files of ours, whatever the umask was. Files that do not exist or belong to others are left. */
export function makePrivate(files: readonly string[]): void {
  for (const file of files) {
    try {
      if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    } catch {
      // It is not there, or a file system or an owner decides that is not ours.
    }
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
