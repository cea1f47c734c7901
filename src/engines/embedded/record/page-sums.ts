import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Sliced } from '../../in-slices.ts';
import type { WalScan } from './wal-scan.ts';

/**
 * A checksum for each page of the database file, kept in a file beside it. SQLite does not notice a changed byte inside a
 * row. A sum is written right after the commit, and is on the disk before the page is copied from the log to the database.
 * So each page of the database that is not in the log has the sum that is kept for it. 0: not known.
 */
const SUM_BYTES = 4;

const toDisk = promisify(fdatasync);

/** Pages summed in a slice: about 5 milliseconds. */
const SLICE_PAGES = 250;

export function sumOfPage(page: Uint8Array): number {
  return crc32(page) || 1;
}

export class PageSums {
  readonly file: string;
  #descriptor: number | null = null;
  // One of each for all transactions.
  readonly #sum = Buffer.alloc(SUM_BYTES);
  #page = Buffer.alloc(0);

  constructor(file: string) {
    this.file = file;
  }

  /** The sum of page 1 is the first. Empty if there is no file. */
  read(): Uint32Array {
    if (!existsSync(this.file)) return new Uint32Array(0);
    const bytes = readFileSync(this.file);
    const sums = new Uint32Array(Math.floor(bytes.length / SUM_BYTES));
    for (let at = 0; at < sums.length; at++) sums[at] = bytes.readUInt32LE(at * SUM_BYTES);
    return sums;
  }

  /** Writes the sums of pages of the log, given with their positions in it. */
  *update(wal: WalScan, pages: ReadonlyMap<number, number>): Sliced<void> {
    if (this.#page.length !== wal.pageBytes) this.#page = Buffer.alloc(wal.pageBytes);
    let summed = 0;
    for (const [page, position] of pages) {
      wal.readPage(position, this.#page);
      this.#write(sumOfPage(this.#page), page);
      if (++summed % SLICE_PAGES === 0) yield;
    }
  }

  /** Resolves when the sums that are written now are on the disk. */
  async flush(): Promise<void> {
    try {
      if (this.#descriptor !== null) await toDisk(this.#descriptor);
    } catch {
      // `sync` says what is wrong.
    }
  }

  /** Waits until the sums are on the disk. */
  sync(): void {
    if (this.#descriptor !== null) fsyncSync(this.#descriptor);
  }

  get isMissing(): boolean {
    return !existsSync(this.file);
  }

  /** Replaces all sums by those of the pages that a database file has now. Reads the whole file. */
  replace(database: string, pageBytes: number): void {
    this.drop();
    const descriptor = openSync(database, 'r');
    try {
      const page = Buffer.alloc(pageBytes);
      for (let no = 1; readSync(descriptor, page, 0, pageBytes, (no - 1) * pageBytes) === pageBytes; no++) {
        this.#write(sumOfPage(page), no);
      }
    } finally {
      closeSync(descriptor);
    }
    this.sync();
  }

  /** No sum is better than a wrong one. */
  drop(): void {
    this.close();
    rmSync(this.file, { force: true });
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #write(sum: number, page: number): void {
    this.#descriptor ??= openSync(this.file, existsSync(this.file) ? 'r+' : 'w+', 0o600);
    this.#sum.writeUInt32LE(sum);
    writeSync(this.#descriptor, this.#sum, 0, SUM_BYTES, (page - 1) * SUM_BYTES);
  }
}
