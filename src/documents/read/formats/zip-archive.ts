import { inflateRawSync } from 'node:zlib';
import { ReadProblem } from '../text/read-problem.ts';

const END_RECORD = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
/** The end record is followed by a comment of at most 65535 bytes. */
const END_RECORD_WITHIN = 65_557;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedSize: number;
  readonly offset: number;
}

/**
 * The files of a ZIP archive, unpacked on demand. `maxBytes` counts over all of them: an archive that unpacks to gigabytes
 * stops there, whatever sizes it declares. Throws ReadProblem.
 */
export class ZipArchive {
  readonly #view: DataView;
  readonly #bytes: Uint8Array;
  readonly #name: string;
  readonly #entries = new Map<string, Entry>();
  readonly #maxBytes: number;
  #unpacked = 0;

  constructor(name: string, bytes: Uint8Array, maxBytes: number) {
    this.#name = name;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#maxBytes = maxBytes;
    try {
      this.#readDirectory();
    } catch (error) {
      throw error instanceof RangeError ? this.#broken() : error;
    }
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** The text of a file; null if the archive does not have it. */
  text(path: string): string | null {
    const entry = this.#entries.get(path);
    if (entry === undefined) return null;
    if (entry.isEncrypted) throw new ReadProblem('encrypted', `${this.#name} needs a password. Save it without one.`);
    try {
      const bytes = this.#unpack(entry);
      this.#unpacked += bytes.byteLength;
      if (this.#unpacked > this.#maxBytes) throw this.#tooLarge();
      return new TextDecoder().decode(bytes);
    } catch (error) {
      if (error instanceof ReadProblem) throw error;
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw this.#tooLarge();
      throw this.#broken();
    }
  }

  #unpack({ offset, method, packedSize }: Entry): Uint8Array {
    const view = this.#view;
    if (view.getUint32(offset, true) !== LOCAL_ENTRY) throw this.#broken();
    const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
    const packed = this.#bytes.subarray(start, start + packedSize);
    if (method === STORED) return packed;
    if (method !== DEFLATED) throw this.#broken();
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, this.#maxBytes - this.#unpacked) });
  }

  #readDirectory(): void {
    const view = this.#view;
    const end = this.#findEnd();
    const count = view.getUint16(end + 10, true);
    let at = view.getUint32(end + 16, true);
    for (let i = 0; i < count; i++) {
      if (view.getUint32(at, true) !== DIRECTORY_ENTRY) throw this.#broken();
      const nameLength = view.getUint16(at + 28, true);
      const path = new TextDecoder().decode(this.#bytes.subarray(at + 46, at + 46 + nameLength));
      this.#entries.set(path, {
        isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
        method: view.getUint16(at + 10, true),
        packedSize: view.getUint32(at + 20, true),
        offset: view.getUint32(at + 42, true),
      });
      at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
  }

  #findEnd(): number {
    const last = this.#view.byteLength - 22;
    for (let at = last; at >= 0 && at > last - END_RECORD_WITHIN; at--) {
      if (this.#view.getUint32(at, true) === END_RECORD) return at;
    }
    throw this.#broken();
  }

  #broken(): ReadProblem {
    return new ReadProblem('broken', `${this.#name} is damaged: its archive cannot be unpacked.`);
  }

  #tooLarge(): ReadProblem {
    const limit = `${Math.round(this.#maxBytes / 1e6)} MB`;
    return new ReadProblem('too_large', `${this.#name} unpacks to more than ${limit}. It was skipped.`);
  }
}
