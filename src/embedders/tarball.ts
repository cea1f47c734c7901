import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { DowserError } from '../model/errors.ts';

/** nanotar reads an archive from memory. The package of the default model unpacks to 37 MB, that of `gte-small` to 225 MB. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

export interface ReadTarballOptions {
  readonly signal?: AbortSignal | undefined;
  /** The size limit of the unpacked archive. Default 512 MB. */
  readonly maxBytes?: number;
}

/**
 * The regular files of a `.tgz` for which `wants` returns true. It writes nothing to disk, so a hostile name can do no
 * harm. Links and folders are skipped.
 */
export async function readTarball(
  path: string,
  wants: (name: string, bytes: number) => boolean,
  options: ReadTarballOptions = {},
): Promise<readonly { readonly name: string; readonly data: Uint8Array }[]> {
  const { signal, maxBytes = MAX_UNPACKED_BYTES } = options;
  const { parseTar } = await import('nanotar');
  const archive = await unzip(path, maxBytes, signal);
  try {
    const entries = parseTar(archive, {
      filter({ name, size, type }) {
        // A negative size would make nanotar read the same header forever.
        if (!(size >= 0)) throw new RangeError(`${name} has a broken size`);
        return type === 'file' && wants(name, size);
      },
    });
    return entries.map(({ name, data = new Uint8Array() }) => ({ name, data }));
  } catch (cause) {
    if (cause instanceof DowserError) throw cause;
    throw new Error('The archive is damaged or incomplete.', { cause });
  }
}

async function unzip(path: string, maxBytes: number, signal: AbortSignal | undefined): Promise<ArrayBuffer> {
  const packed = await readFile(path, { signal });
  const archive = await promisify(gunzip)(packed, { maxOutputLength: maxBytes }).catch((cause) => {
    if (cause.code !== 'ERR_BUFFER_TOO_LARGE') throw cause;
    throw new Error(`The archive unpacks to more than ${maxBytes} bytes.`, { cause });
  });
  signal?.throwIfAborted();
  // A copy: nanotar ignores the offset of a buffer that Node shares between small results.
  return new Uint8Array(archive).buffer;
}
