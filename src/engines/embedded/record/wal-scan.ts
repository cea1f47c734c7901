import { closeSync, fdatasync, openSync, readSync } from 'node:fs';
import { promisify } from 'node:util';

/**
 * Reads the write-ahead log of a database, as SQLite does when it recovers: https://sqlite.org/fileformat2.html#walformat.
 * SQLite drops what it cannot read without a word, so what is in the log must be known before SQLite opens it.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

const toDisk = promisify(fdatasync);

export class WalScan {
  readonly file: string;
  /** The pages of committed transactions, with the position of their newest content in the log. */
  readonly pages = new Map<number, number>();
  /** Committed frames. */
  frames = 0;
  /** The size of the database after the last commit, in pages; 0 without a commit. */
  databasePages = 0;
  pageBytes = 0;
  /** Increases when the log begins again. */
  generation = 0;
  // One of each for all transactions.
  readonly #header = Buffer.alloc(HEADER_BYTES);
  readonly #frameHeader = Buffer.alloc(FRAME_HEADER_BYTES);
  #descriptor: number | null = null;
  #salts = '';
  #sum: Sum = [0, 0];

  constructor(file: string) {
    this.file = file;
  }

  /**
   * Reads the transactions that were committed since the last call, and returns their pages as in `pages`. SQLite begins
   * the log again when it is copied.
   *
   * `committed` is the number of frames that SQLite itself takes as committed: a process may die after it wrote a
   * transaction and before it counted it. Without it, frames are read for as long as they have the right checksum.
   */
  advance(committed?: number): ReadonlyMap<number, number> {
    const fresh = new Map<number, number>();
    const header = this.#header;
    if (!this.#read(header, 0)) {
      this.#restart('');
      return fresh;
    }
    const salts = header.toString('latin1', 16, 24);
    if (salts !== this.#salts) this.#restart(salts, header);
    if (this.pageBytes === 0) return fresh;
    const isLittle = (header.readUInt32BE(0) & 1) === 0;
    const verify = committed === undefined;
    const limit = committed ?? Number.POSITIVE_INFINITY;
    const frame = verify ? Buffer.alloc(FRAME_HEADER_BYTES + this.pageBytes) : this.#frameHeader;
    const frameBytes = FRAME_HEADER_BYTES + this.pageBytes;
    let pending: [page: number, at: number][] = [];
    let sum = this.#sum;
    for (let at = HEADER_BYTES + this.frames * frameBytes; this.#read(frame, at); at += frameBytes) {
      if (frame.toString('latin1', 8, 16) !== salts) break;
      if (this.frames + pending.length >= limit) break;
      if (verify) {
        sum = sumOf(frame.subarray(FRAME_HEADER_BYTES), isLittle, sumOf(frame.subarray(0, 8), isLittle, sum));
        if (frame.readUInt32BE(16) !== sum[0] || frame.readUInt32BE(20) !== sum[1]) break;
      }
      pending.push([frame.readUInt32BE(0), at + FRAME_HEADER_BYTES]);
      const databasePages = frame.readUInt32BE(4);
      // Only the last frame of a transaction has the size of the database.
      if (databasePages === 0) continue;
      for (const [page, position] of pending) {
        this.pages.set(page, position);
        fresh.set(page, position);
      }
      this.frames += pending.length;
      this.databasePages = databasePages;
      this.#sum = sum;
      pending = [];
    }
    return fresh;
  }

  /** The content of a page in the log. */
  readPage(position: number, into: Buffer): void {
    if (!this.#read(into, position)) throw new Error(`${this.file} ends before ${position + into.length}`);
  }

  /** Resolves when what the log has now is on the disk. Does nothing where the system cannot flush a file that is only read. */
  async flush(): Promise<void> {
    try {
      if (this.#open()) await toDisk(this.#descriptor!);
    } catch {
      // The commit flushes the log too, and says what is wrong.
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #restart(salts: string, header?: Buffer): void {
    if (salts !== this.#salts) this.generation++;
    this.#salts = salts;
    this.pages.clear();
    this.frames = 0;
    this.databasePages = 0;
    this.pageBytes = header !== undefined && this.#isHeader(header) ? header.readUInt32BE(8) : 0;
  }

  #isHeader(header: Buffer): boolean {
    const magic = header.readUInt32BE(0);
    if ((magic & ~1) !== MAGIC) return false;
    this.#sum = sumOf(header.subarray(0, 24), (magic & 1) === 0, [0, 0]);
    return header.readUInt32BE(24) === this.#sum[0] && header.readUInt32BE(28) === this.#sum[1];
  }

  /** False if the file is missing or too short. */
  #read(into: Buffer, position: number): boolean {
    return this.#open() && readSync(this.#descriptor!, into, 0, into.length, position) === into.length;
  }

  /** False if there is no file. */
  #open(): boolean {
    try {
      this.#descriptor ??= openSync(this.file, 'r');
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }
}

type Sum = readonly [number, number];

/** The checksum of the log: two running sums over pairs of 32-bit numbers, in the byte order of the writer. */
function sumOf(bytes: Buffer, isLittle: boolean, [first, second]: Sum): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + view.getUint32(at, isLittle) + b) >>> 0;
    b = (b + view.getUint32(at + 4, isLittle) + a) >>> 0;
  }
  return [a, b];
}
