import { copyFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { storeFilesIn } from '../../../src/engines/embedded/record/store-files.ts';
import type { Random } from '../random.ts';

const PAGE_BYTES = 8192;
const MAX_NOISE_BYTES = 5000;

type Damage = (file: string, random: Random) => void;

/** Everything that a disk, a copy or a person may do to a file. */
const DAMAGES: Readonly<Record<string, Damage>> = {
  'cut short': (file, random) => truncateSync(file, random.int(sizeOf(file))),
  emptied: (file) => truncateSync(file),
  deleted: (file) => rmSync(file),
  'one bit flipped': (file, random) =>
    change(file, (bytes) => {
      bytes[random.int(bytes.length)]! ^= 1 << random.int(8);
    }),
  'bits of a page flipped': (file, random) =>
    changePage(file, random, (page) => {
      for (let n = 0; n < 20; n++) page[random.int(page.length)]! ^= 1 << random.int(8);
    }),
  'a page of zeros': (file, random) => changePage(file, random, (page) => page.fill(0)),
  'a page of another place': (file, random) =>
    change(file, (bytes) => {
      const pageAt = () => random.int(Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES;
      bytes.copy(bytes, pageAt(), pageAt(), Math.min(bytes.length, pageAt() + PAGE_BYTES));
    }),
  noise: (file, random) =>
    change(file, (bytes) => {
      const at = random.int(bytes.length);
      const end = Math.min(bytes.length, at + 1 + random.int(MAX_NOISE_BYTES));
      for (let i = at; i < end; i++) bytes[i] = random.int(256);
    }),
  'noise at its end': (file, random) =>
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.alloc(1 + random.int(PAGE_BYTES), random.int(256))])),
};

const sizeOf = (file: string) => statSync(file).size;

function change(file: string, by: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  by(bytes);
  writeFileSync(file, bytes);
}

function changePage(file: string, random: Random, by: (page: Buffer) => void): void {
  change(file, (bytes) => {
    const at = random.int(Math.ceil(bytes.length / PAGE_BYTES)) * PAGE_BYTES;
    by(bytes.subarray(at, Math.min(bytes.length, at + PAGE_BYTES)));
  });
}

/** The database and its log more often: they are the record. */
function filesOf(dir: string): readonly string[] {
  const { database, log, sharedMemory, lastRevision, sums, snapshot, lock } = storeFilesIn(dir);
  const vectors = join(dir, 'embeddings.sqlite');
  const all = [database, database, database, log, log, sharedMemory, lastRevision, sums, snapshot, lock, vectors];
  return all.filter((file) => existsSync(file) && sizeOf(file) > 0);
}

/** Damages one file of a data folder, and says which and how. `older` is an earlier copy of the folder. */
export function damageStore(dir: string, older: string, random: Random): string {
  const file = random.pick(filesOf(dir));
  const previous = join(older, basename(file));
  const ways = existsSync(previous) ? [...Object.keys(DAMAGES), 'an older copy'] : Object.keys(DAMAGES);
  const how = random.pick(ways);
  if (how === 'an older copy') copyFileSync(previous, file);
  else DAMAGES[how]!(file, random);
  return `${basename(file)}: ${how}`;
}
