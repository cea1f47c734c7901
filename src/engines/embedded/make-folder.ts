import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it, one by one. The runtime's own way to make them all never ends where the system says of a
 * folder that its parent is missing though it is there, as under /proc.
 */
export function makeFolder(dir: string): void {
  const missing: string[] = [];
  for (let at = resolve(dir); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.push(at);
  for (const folder of missing.reverse()) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else may have been quicker.
      if (!isFolder(folder)) throw error;
    }
  }
  // Throws what is wrong with a file of that name.
  if (!isFolder(dir)) mkdirSync(dir);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
