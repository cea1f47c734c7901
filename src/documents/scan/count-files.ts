import type { Collection } from '../contract/document-answers.ts';
import { folderOf } from './scan-folder.ts';
import { walkFolder } from './walk-folder.ts';

/** How many files a scan of a collection will look at. Stops at `max` + 1: a folder may have a million. */
export async function countFiles(
  collection: Pick<Collection, 'name' | 'folder' | 'include' | 'exclude'>,
  max: number,
  signal?: AbortSignal,
): Promise<number> {
  const { include, exclude } = collection;
  let count = 0;
  for await (const found of walkFolder(await folderOf(collection), { include, exclude, signal })) {
    if ('location' in found) count += 1;
    if (count > max) break;
  }
  return count;
}
