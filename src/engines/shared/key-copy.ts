import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HashedKey } from '../../model/caller/stored-key.ts';
import type { RecordHead, RecordKeys, SharedRecord } from '../shared-record.ts';

/** In the folder of the copy. */
const FILE = 'record-keys.json';

/** The API keys of the record, as this node last read them. A file has them too: a node may start while it cannot reach the record. */
export class KeyCopy {
  readonly #file: string;
  #known: RecordKeys | null;

  constructor(dir: string) {
    this.#file = join(dir, FILE);
    this.#known = readKeys(this.#file);
  }

  /** Null: never read. */
  get keys(): readonly HashedKey[] | null {
    return this.#known?.keys ?? null;
  }

  /** Reads all keys if they are not those of the head. Returns whether it did. */
  async follow(head: RecordHead, record: Pick<SharedRecord, 'keys'>): Promise<boolean> {
    if (this.#known?.tip === head.keys) return false;
    this.#known = await record.keys();
    this.#save(this.#known);
    return true;
  }

  /** A full disk must not bring a revoked key back at the next start: then there is no file. */
  #save(known: RecordKeys): void {
    const part = `${this.#file}.part`;
    try {
      writeFileSync(part, JSON.stringify(known), { mode: 0o600 });
      renameSync(part, this.#file);
    } catch {
      for (const file of [part, this.#file]) rmSync(file, { force: true });
    }
  }
}

/** Null also for a file that is damaged: the record has them. */
function readKeys(file: string): RecordKeys | null {
  try {
    const { tip, keys } = JSON.parse(readFileSync(file, 'utf8')) as Partial<RecordKeys>;
    return typeof tip === 'string' && Array.isArray(keys) ? { tip, keys } : null;
  } catch {
    return null;
  }
}
