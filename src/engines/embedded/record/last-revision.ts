import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/**
 * The last acknowledged write, kept in a small file beside the database: a database that has fewer writes has lost some.
 * It is written after the commit and without waiting for the disk, so it may fall behind the database, never ahead of it.
 */
export interface LastRevision {
  readonly revision: number;
  /** Entities in the store after that write. */
  readonly entities: number;
}

/** Two places take turns, so that a half-written one leaves the other. */
const SLOT_BYTES = 64;
const SLOTS = 2;

/** Null: there is no such file. `damaged`: it has nothing that can be read. */
export function readLastRevision(file: string): LastRevision | 'damaged' | null {
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'damaged';
  }
  let last: LastRevision | null = null;
  for (let slot = 0; slot < SLOTS; slot++) {
    const found = parseSlot(text.slice(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES));
    if (found !== null && found.revision >= (last?.revision ?? 0)) last = found;
  }
  return last ?? 'damaged';
}

function parseSlot(slot: string): LastRevision | null {
  const found = /^(\d+) (\d+) ([0-9a-f]{8}) *\n$/.exec(slot);
  if (found === null) return null;
  const [, revision, entities, sum] = found;
  return sum === sumOf(`${revision} ${entities}`) ? { revision: Number(revision), entities: Number(entities) } : null;
}

const sumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

export class LastRevisionFile {
  readonly #descriptor: number;
  #slot = 0;

  /** Replaces what the file says, in both places. */
  constructor(file: string, last: LastRevision) {
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    for (let slot = 0; slot < SLOTS; slot++) this.write(last);
  }

  write({ revision, entities }: LastRevision): void {
    const text = `${revision} ${entities}`;
    const slot = `${`${text} ${sumOf(text)}`.padEnd(SLOT_BYTES - 1)}\n`;
    writeSync(this.#descriptor, slot, this.#slot * SLOT_BYTES, 'latin1');
    this.#slot = (this.#slot + 1) % SLOTS;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
