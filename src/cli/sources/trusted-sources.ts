import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = 'sources.txt';

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/**
 * The sources that were added with this data folder, one digest per line. Others may write to the registry, and reading a
 * source may start a program or call a private address. So only sources that were added here are read again.
 */
export async function trustedSources(dataDir: string): Promise<{ has(key: string): boolean }> {
  const text = await readFile(join(dataDir, FILE), 'utf8').catch(() => '');
  const digests = new Set(text.split('\n'));
  return { has: (key) => digests.has(digestOf(key)) };
}

/** Lines are only appended, so that two commands at once lose nothing. */
export async function trustSource(dataDir: string, key: string): Promise<void> {
  if ((await trustedSources(dataDir)).has(key)) return;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await appendFile(join(dataDir, FILE), `${digestOf(key)}\n`, { mode: 0o600 });
}
