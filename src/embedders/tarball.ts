import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const BLOCK = 512;

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** The file's bytes, once. What is left unread is skipped. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface ExtractedFile {
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** A tar archive that ends early or whose headers make no sense. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

class ByteReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The bytes that are at hand, at least one and at most `count`. */
  async next(count: number): Promise<Uint8Array> {
    while (this.#chunk.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) throw new TarError('The archive ends too early.');
      this.#chunk = next.value;
    }
    const part = this.#chunk.subarray(0, count);
    this.#chunk = this.#chunk.subarray(part.length);
    return part;
  }

  async exactly(count: number): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for (let left = count; left > 0; ) {
      const part = await this.next(left);
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  /** Reads on to the end, so that what feeds us can check its own trailer. */
  async finish(): Promise<void> {
    while ((await this.#source.next()).done !== true);
  }
}

function textAt(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end);
}

function numberAt(header: Buffer, start: number, length: number): number {
  const digits = textAt(header, start, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError('A header of the archive holds a broken number.');
  return digits === '' ? 0 : Number.parseInt(digits, 8);
}

function checkSum(header: Buffer): void {
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : header[i]!;
  if (sum !== numberAt(header, 148, 8)) throw new TarError('A header of the archive has a wrong checksum.');
}

/** The `path` record of a pax header: `length path=value\n`. */
function paxPath(records: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1];
}

/** The regular files of a tar archive (POSIX, with pax and GNU long names). Links and folders are passed over. */
export async function* tarEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source);
  let longName: string | undefined;
  for (;;) {
    const header = await reader.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return reader.finish();
    checkSum(header);
    const size = numberAt(header, 124, 12);
    const type = String.fromCharCode(header[156]!);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === 'x' || type === 'L') {
      if (size > 65_536) throw new TarError(`A name of the archive has ${size} bytes.`);
      const value = (await reader.exactly(size)).toString('utf8');
      longName = type === 'x' ? (paxPath(value) ?? longName) : value.replace(/\0+$/, '');
      await reader.exactly(padding);
      continue;
    }
    const prefix = textAt(header, 257, 5) === 'ustar' ? textAt(header, 345, 155) : '';
    const shortName = textAt(header, 0, 100);
    const name = longName ?? (prefix === '' ? shortName : `${prefix}/${shortName}`);
    longName = undefined;
    let left = size;
    async function* body(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const part = await reader.next(left);
        left -= part.length;
        yield part;
      }
    }
    if (type === '0' || type === '\0') yield { name, size, body: body() };
    for (left += padding; left > 0; ) left -= (await reader.next(left)).length;
  }
}

/**
 * Unpacks chosen files of a `.tgz`. `placeOf` names the destination of an entry, undefined to pass it over: no path
 * of the archive is ever used as a path on disk. Files are on disk for good (fsync) when this resolves.
 */
export async function extractFiles(
  tarball: string,
  placeOf: (name: string, bytes: number) => string | undefined,
  signal?: AbortSignal,
): Promise<readonly ExtractedFile[]> {
  const files: ExtractedFile[] = [];
  await pipeline(
    createReadStream(tarball),
    createGunzip(),
    async (source: AsyncIterable<Uint8Array>) => {
      for await (const entry of tarEntries(source)) {
        const path = placeOf(entry.name, entry.size);
        if (path !== undefined) files.push(await writeEntry(entry, path));
      }
    },
    ...(signal === undefined ? [] : [{ signal }]),
  );
  return files;
}

async function writeEntry(entry: TarEntry, path: string): Promise<ExtractedFile> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  const file = await open(path, 'wx');
  try {
    for await (const part of entry.body) {
      hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { name: entry.name, path, bytes: entry.size, sha256: hash.digest('hex') };
}
