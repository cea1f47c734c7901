import { stat, utimes } from 'node:fs/promises';

const LONG_AGO = new Date(0);

/**
 * Which files were opened since the last call, by their times of access. Linux notes an access after the last change once
 * (`relatime`), so the time of access is set back after each look.
 */
export async function accessedFiles(files: readonly string[]): Promise<ReadonlySet<string>> {
  const accessed = new Set<string>();
  for (const file of files) {
    const { atimeMs, mtime } = await stat(file);
    if (atimeMs > LONG_AGO.getTime()) accessed.add(file);
    await utimes(file, LONG_AGO, mtime);
  }
  return accessed;
}
