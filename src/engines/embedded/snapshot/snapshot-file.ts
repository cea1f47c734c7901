import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * A file of named parts, used as a cache: the reader throws for any fault, and the caller builds the data again.
 * Layout: the parts, then a directory of them as JSON, then the trailer (length and checksum of the directory, and the
 * magic). So parts can be streamed, and an incomplete file has no trailer.
 */
export type SnapshotPart = string | ArrayBufferView | Iterable<ArrayBufferView>;

interface PartEntry {
  readonly name: string;
  /** How the bytes are read back: an encoding, or the typed array they came from. */
  readonly as: string;
  readonly offset: number;
  readonly bytes: number;
  readonly crc: number;
}

interface Directory<Identity> {
  readonly identity: Identity;
  readonly parts: readonly PartEntry[];
}

const MAGIC = 'DOWSERIX';
const TRAILER_BYTES = 8 + MAGIC.length;
/** One read or write call moves at most this much: more than 2 GiB fails on Linux. */
const MAX_IO_BYTES = 1 << 28;

const ARRAYS = { Uint8Array, Uint32Array, Float32Array, Float64Array } as const;
type AnyArray = InstanceType<(typeof ARRAYS)[keyof typeof ARRAYS]>;

const bytesOf = (view: ArrayBufferView): Uint8Array => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** Writes a temporary file and renames it, so that a reader sees the complete old or new file. */
export function writeSnapshotFile(file: string, identity: object, parts: Readonly<Record<string, SnapshotPart>>): void {
  const temporary = `${file}.tmp`;
  const descriptor = openSync(temporary, 'w', 0o600);
  try {
    let offset = 0;
    const write = (bytes: Uint8Array) => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(descriptor, bytes, done, Math.min(bytes.length - done, MAX_IO_BYTES));
      }
      offset += bytes.length;
    };
    const entries: PartEntry[] = [];
    for (const [name, part] of Object.entries(parts)) {
      const start = offset;
      let crc = 0;
      let as = 'Uint8Array';
      for (const piece of toPieces(part)) {
        as = piece.as;
        crc = crc32(piece.bytes, crc);
        write(piece.bytes);
      }
      entries.push({ name, as, offset: start, bytes: offset - start, crc });
    }
    const directory = Buffer.from(JSON.stringify({ identity, parts: entries } satisfies Directory<object>));
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(directory.length, 0);
    trailer.writeUInt32LE(crc32(directory), 4);
    trailer.write(MAGIC, 8, 'latin1');
    write(directory);
    write(trailer);
    fsyncSync(descriptor);
  } catch (error) {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(descriptor);
  renameSync(temporary, file);
  syncFolder(dirname(file));
}

/** The rename itself must reach the disk. Windows cannot open a folder, and needs no such call. */
function syncFolder(dir: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(dir, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function* toPieces(part: SnapshotPart): Generator<{ readonly as: string; readonly bytes: Uint8Array }> {
  if (typeof part === 'string') {
    const bytes = Buffer.from(part, 'utf8');
    // UTF-8 has no half surrogate pairs. A text with one is written as UTF-16.
    const isExact = bytes.toString('utf8') === part;
    yield isExact ? { as: 'utf8', bytes } : { as: 'utf16le', bytes: Buffer.from(part, 'utf16le') };
    return;
  }
  for (const view of ArrayBuffer.isView(part) ? [part] : part)
    yield { as: view.constructor.name, bytes: bytesOf(view) };
}

export class SnapshotFile<Identity> {
  readonly identity: Identity;
  readonly #descriptor: number;
  readonly #parts = new Map<string, PartEntry>();

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(this.#descriptor);
      const trailer = Buffer.from(this.#read(size - TRAILER_BYTES, new Uint8Array(TRAILER_BYTES)));
      if (trailer.toString('latin1', 8) !== MAGIC) throw new Error('it has no trailer');
      const length = trailer.readUInt32LE(0);
      const json = this.#read(size - TRAILER_BYTES - length, new Uint8Array(length));
      if (crc32(json) !== trailer.readUInt32LE(4)) throw new Error('its directory has a wrong checksum');
      const directory = JSON.parse(Buffer.from(json).toString('utf8')) as Directory<Identity>;
      this.identity = directory.identity;
      for (const part of directory.parts) this.#parts.set(part.name, part);
    } catch (error) {
      closeSync(this.#descriptor);
      throw error;
    }
  }

  names(): readonly string[] {
    return [...this.#parts.keys()];
  }

  part(name: string): string | AnyArray {
    const { as, offset, bytes, crc } = this.#entry(name);
    if (as === 'utf8' || as === 'utf16le') {
      const text = this.#read(offset, Buffer.allocUnsafe(bytes));
      check(name, crc32(text), crc);
      return text.toString(as);
    }
    const array = newArray(as, bytes);
    check(name, crc32(this.#read(offset, array)), crc);
    return array;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #entry(name: string): PartEntry {
    const entry = this.#parts.get(name);
    if (entry === undefined) throw new Error(`it has no part '${name}'`);
    return entry;
  }

  #read<View extends ArrayBufferView>(offset: number, into: View): View {
    const bytes = bytesOf(into);
    for (let done = 0; done < bytes.length; ) {
      const wanted = Math.min(bytes.length - done, MAX_IO_BYTES);
      const read = offset < 0 ? 0 : readSync(this.#descriptor, bytes, done, wanted, offset + done);
      if (read === 0) throw new Error('it ends too early');
      done += read;
    }
    return into;
  }
}

function newArray(as: string, bytes: number): AnyArray {
  const NumberArray = ARRAYS[as as keyof typeof ARRAYS];
  if (NumberArray === undefined) throw new Error(`it holds a part of the unknown kind '${as}'`);
  return new NumberArray(bytes / NumberArray.BYTES_PER_ELEMENT);
}

function check(name: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`its part '${name}' has a wrong checksum`);
}
