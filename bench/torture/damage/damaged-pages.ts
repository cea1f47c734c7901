import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeFilesIn } from '../../../src/engines/embedded/record/store-files.ts';
import { DowserError } from '../../../src/model/errors/errors.ts';
import { ask } from '../ask.ts';
import { whileServed } from '../open-folder.ts';
import { type Random, randomOf } from '../random.ts';

const PAGE_BYTES = 8192;
const BATCH = 200;
const WORDS_PER_TEXT = 1200;

export interface DamagedPagesReport {
  readonly 'MB of the store': number;
  readonly refused: number;
  /** Opened although a page was damaged. */
  readonly served: number;
}

type Damage = (page: Buffer, random: Random) => void;
const DAMAGES: readonly Damage[] = [
  (page) => page.fill(0),
  (page, random) => {
    page[random.int(page.length)]! ^= 1 << random.int(8);
  },
  // A letter of a text becomes another one: SQLite cannot see it.
  (page, random) => {
    const at = random.int(page.length);
    page[at] = page[at] === 0x61 ? 0x62 : 0x61;
  },
  (page, random) => {
    for (let at = random.int(page.length); at < page.length; at++) page[at] = random.int(256);
  },
];

/** Damages one page of a large store at a time. None of these stores may be served. */
export async function damagedPages(options: {
  readonly pages: number;
  readonly megabytes: number;
  readonly seed: number;
  readonly onPage?: (done: number) => void;
}): Promise<DamagedPagesReport> {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-pages-'));
  try {
    const { database } = storeFilesIn(dir);
    await fillStore(dir, database, options.megabytes * 2 ** 20);
    const count = Math.floor(statSync(database).size / PAGE_BYTES);
    let served = 0;
    for (let n = 0; n < options.pages; n++) {
      const random = randomOf(options.seed + n);
      const at = random.int(count) * PAGE_BYTES;
      const sound = pageAt(database, at);
      const damaged = Buffer.from(sound);
      while (damaged.equals(sound)) random.pick(DAMAGES)(damaged, random);
      writePage(database, at, damaged);
      if (await isServed(dir)) served++;
      writePage(database, at, sound);
      options.onPage?.(n + 1);
    }
    // Only if the sound store opens does a refusal say anything.
    if (!(await isServed(dir))) throw new Error('The store does not open without damage.');
    return {
      'MB of the store': Math.round(statSync(database).size / 2 ** 20),
      refused: options.pages - served,
      served,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function fillStore(dir: string, database: string, bytes: number): Promise<void> {
  for (let from = 0; (statSync(database, { throwIfNoEntry: false })?.size ?? 0) < bytes; from += 10 * BATCH) {
    await whileServed(dir, async (url) => {
      for (let at = from; at < from + 10 * BATCH; at += BATCH) {
        const entities = Array.from({ length: BATCH }, (_, n) => ({
          type: 'document',
          path: `/text-${at + n}`,
          name: `text ${at + n}`,
          body: Array.from({ length: WORDS_PER_TEXT }, (_, w) => `lamp${(at + n * w) % 5000}`).join(' '),
        }));
        const { status } = await ask(url, 'POST', '/api/entities:batch?vectors=later', { entities });
        if (status >= 300) throw new Error(`The store cannot be filled: status ${status}.`);
      }
    });
  }
}

async function isServed(dir: string): Promise<boolean> {
  try {
    return await whileServed(dir, async (url) => (await ask(url, 'GET', '/ready')).status === 200);
  } catch (error) {
    if (error instanceof DowserError && error.code === 'STORE_CORRUPT') return false;
    throw error;
  }
}

function pageAt(file: string, at: number): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  withFile(file, 'r', (descriptor) => readSync(descriptor, page, 0, PAGE_BYTES, at));
  return page;
}

const writePage = (file: string, at: number, page: Buffer) =>
  withFile(file, 'r+', (descriptor) => writeSync(descriptor, page, 0, page.length, at));

function withFile(file: string, flags: string, work: (descriptor: number) => void): void {
  const descriptor = openSync(file, flags);
  try {
    work(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
