import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its parents, one by one. `mkdirSync` with `recursive` never returns if the system reports a missing
 * parent that exists, as under /proc.
 */
export function makeFolder(dir: string): void {
  const missing: string[] = [];
  for (let at = resolve(dir); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Another process may have created it.
      if (!isFolder(folder)) throw error;
    }
  }
  // Throws if there is a file of that name.
  if (!isFolder(dir)) mkdirSync(dir);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
