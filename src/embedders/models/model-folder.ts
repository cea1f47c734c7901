import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PinnedFile, PinnedFolder } from './known-models.ts';

/** Lists the files that were hashed, so that 23 MB are not read at every start. */
const MARKER = 'verified.json';

export type FolderState =
  | { readonly state: 'good' }
  | { readonly state: 'missing'; readonly file: string }
  | { readonly state: 'corrupt'; readonly file: string; readonly expected: string; readonly found: string };

interface VerifiedFile {
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly sha256: string;
}
type Marker = Readonly<Record<string, VerifiedFile>>;

async function readMarker(dir: string): Promise<Marker> {
  try {
    const parsed: unknown = JSON.parse(await readFile(join(dir, MARKER), 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Marker) : {};
  } catch {
    return {};
  }
}

async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function checkFile(dir: string, file: PinnedFile, marker: Marker): Promise<VerifiedFile | FolderState> {
  const path = join(dir, file.name);
  const stats = await stat(path).catch(() => null);
  if (stats === null) return { state: 'missing', file: path };
  if (stats.size !== file.bytes) {
    return { state: 'corrupt', file: path, expected: `${file.bytes} bytes`, found: `${stats.size} bytes` };
  }
  const known = marker[file.name];
  const isKnown = known !== undefined && known.bytes === stats.size && known.mtimeMs === stats.mtimeMs;
  const sha256 = isKnown ? known.sha256 : await sha256OfFile(path);
  if (sha256 !== file.sha256) {
    return { state: 'corrupt', file: path, expected: `sha256 ${file.sha256}`, found: `sha256 ${sha256}` };
  }
  return { bytes: stats.size, mtimeMs: stats.mtimeMs, sha256 };
}

async function checkFiles(dir: string, files: readonly PinnedFile[], marker: Marker): Promise<FolderState> {
  const verified: Record<string, VerifiedFile> = {};
  let isNew = false;
  for (const file of files) {
    const result = await checkFile(dir, file, marker);
    if ('state' in result) return result;
    verified[file.name] = result;
    isNew ||= marker[file.name]?.mtimeMs !== result.mtimeMs;
  }
  // A read-only store works too; its files are hashed at each start.
  if (isNew) await writeFile(join(dir, MARKER), JSON.stringify(verified, null, 2)).catch(() => undefined);
  return { state: 'good' };
}

/**
 * Whether a folder has its files. Sizes are checked every time; contents are hashed once, and again when the size or time of
 * a file changes. The files of any one package will do; a problem is reported for the first package.
 */
export async function checkFolder(dir: string, { packages }: PinnedFolder): Promise<FolderState> {
  const marker = await readMarker(dir);
  let problem: FolderState | undefined;
  for (const modelPackage of packages) {
    const state = await checkFiles(dir, modelPackage.files, marker);
    if (state.state === 'good') return state;
    problem ??= state;
  }
  return problem ?? { state: 'missing', file: dir };
}
