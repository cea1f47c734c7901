import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

/** The largest known package, that of the runtime, unpacks to 302 MB. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;
/** Tar pads headers and contents to whole blocks. */
const BLOCK = 512;
/** A name that is longer than this is an attack. */
const MAX_NAME_BYTES = 64 * 1024;

export interface ReadTarballOptions {
  readonly signal?: AbortSignal | undefined;
  /** The size limit of the unpacked archive. Default 512 MB. */
  readonly maxBytes?: number;
  /** Asked after each file: true stops reading. Default: read to the end. */
  readonly isDone?: () => boolean;
}

interface TarFile {
  readonly name: string;
  readonly data: Uint8Array;
}

/**
 * The regular files of a `.tgz` for which `wants` returns true. The archive is read as a stream: only these files are in
 * memory. It writes nothing to disk, so a hostile name can do no harm. Links and folders are skipped.
 */
export async function readTarball(
  path: string,
  wants: (name: string, bytes: number) => boolean,
  options: ReadTarballOptions = {},
): Promise<readonly TarFile[]> {
  const { signal, maxBytes = MAX_UNPACKED_BYTES, isDone = () => false } = options;
  signal?.throwIfAborted();
  const packed = createReadStream(path, { signal });
  const unpacked = createGunzip();
  packed.once('error', (error) => unpacked.destroy(error));
  packed.pipe(unpacked);
  const files: TarFile[] = [];
  try {
    const archive = new ByteReader(unpacked, maxBytes);
    let longName: string | undefined;
    for (;;) {
      const header = await archive.take(BLOCK);
      // Two empty blocks end an archive; some writers forget them.
      if (header === null || header.every((byte) => byte === 0)) break;
      const size = sizeIn(header);
      const type = String.fromCharCode(header[156]!);
      if (type === 'x' || type === 'L') {
        if (size > MAX_NAME_BYTES) throw damaged();
        const text = Buffer.from(await archive.contents(size)).toString();
        longName =
          type === 'L' ? text.replace(/\0.*$/s, '') : (/(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1] ?? longName);
        continue;
      }
      const name = insideName(longName ?? nameIn(header));
      longName = undefined;
      const isWanted = (type === '0' || type === '\0') && wants(name, size);
      if (isWanted) files.push({ name, data: await archive.contents(size) });
      else await archive.skip(padded(size));
      if (isDone()) break;
    }
    // The checksum of the archive is at its end.
    if (!isDone()) await archive.skipRest();
    return files;
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

const damaged = (): Error => new Error('The archive is damaged or incomplete.');

const padded = (bytes: number): number => Math.ceil(bytes / BLOCK) * BLOCK;

const textIn = (header: Uint8Array, from: number, length: number): string =>
  Buffer.from(header.subarray(from, from + length))
    .toString()
    .replace(/\0.*$/s, '');

function nameIn(header: Uint8Array): string {
  const prefix = textIn(header, 257, 5) === 'ustar' ? textIn(header, 345, 155) : '';
  const name = textIn(header, 0, 100);
  return prefix === '' ? name : `${prefix}/${name}`;
}

function sizeIn(header: Uint8Array): number {
  const octal = textIn(header, 124, 12).trim();
  if (!/^[0-7]+$/.test(octal)) throw damaged();
  return Number.parseInt(octal, 8);
}

/** A name that stays below the folder that it is in. */
function insideName(name: string): string {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** Reads an exact number of bytes at a time. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  #rest: Uint8Array = new Uint8Array();
  #read = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, maxBytes: number) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
  }

  /** Null at the end. Throws if the stream ends in the middle. */
  async take(bytes: number): Promise<Uint8Array | null> {
    const whole = new Uint8Array(bytes);
    let done = 0;
    while (done < bytes) {
      const part = await this.#part();
      if (part === null) break;
      const used = part.subarray(0, bytes - done);
      whole.set(used, done);
      done += used.length;
      this.#rest = part.subarray(used.length);
    }
    if (done === 0 && bytes > 0) return null;
    if (done < bytes) throw damaged();
    return whole;
  }

  /** The contents of an entry, without what pads them. */
  async contents(bytes: number): Promise<Uint8Array> {
    // Finds the end or the limit before any memory is reserved.
    if (bytes > this.#maxBytes) await this.skip(bytes);
    const taken = await this.take(bytes);
    if (taken === null) throw damaged();
    await this.skip(padded(bytes) - bytes);
    return taken;
  }

  async skip(bytes: number): Promise<void> {
    let left = bytes;
    while (left > 0) {
      const part = await this.#part();
      if (part === null) throw damaged();
      this.#rest = part.subarray(Math.min(left, part.length));
      left -= Math.min(left, part.length);
    }
  }

  async skipRest(): Promise<void> {
    while ((await this.#part()) !== null) this.#rest = new Uint8Array();
  }

  /** What is there and was not used yet. Null at the end. */
  async #part(): Promise<Uint8Array | null> {
    if (this.#rest.length > 0) return this.#rest;
    const next = await this.#chunks.next();
    if (next.done === true) return null;
    this.#read += next.value.length;
    if (this.#read > this.#maxBytes) throw new Error(`The archive unpacks to more than ${this.#maxBytes} bytes.`);
    this.#rest = next.value;
    return next.value;
  }
}
