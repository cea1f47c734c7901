import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export const SOURCES_FILE = 'sources.txt';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/**
 * The sources that were added with this data folder, one digest per line. Others may write to the registry, and reading a source
 * or calling its tools may start a program or call a private address. So only sources that were added here are read again and
 * called.
 */
export class TrustedSources {
  readonly #path: string;
  #seen = '';
  #digests: ReadonlySet<string> = new Set();

  constructor(dataDir: string) {
    this.#path = join(dataDir, SOURCES_FILE);
  }

  /** As the file is now. */
  has(key: string): boolean {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    const seen = `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    if (seen !== this.#seen) {
      this.#digests = new Set(readFileSync(this.#path, 'utf8').split('\n'));
      this.#seen = seen;
    }
    return this.#digests.has(digestOf(key));
  }
}

/** Lines are only appended, so that two commands at once lose nothing. */
export async function trustSource(dataDir: string, key: string): Promise<void> {
  if (new TrustedSources(dataDir).has(key)) return;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await appendFile(join(dataDir, SOURCES_FILE), `${digestOf(key)}\n`, { mode: 0o600 });
}
