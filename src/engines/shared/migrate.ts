import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DowserError } from '../../model/errors/errors.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import { openEmbedded } from '../embedded/open-embedded.ts';
import type { SharedRecord } from '../shared-record.ts';
import { type Compared, compareEngines } from './compare-engines.ts';
import { Follower } from './follower.ts';

export interface MigrateOptions {
  /** A data folder, or the address of a record. */
  readonly from: string;
  /** The other one. */
  readonly to: string;
  readonly openRecord: (address: string) => SharedRecord;
}

export type Migrated = Compared;

const isAddress = (place: string): boolean => place.includes('://');
/** Entities in one write of the record. */
const PAGE = 100;
const EDGES_AT_ONCE = 1000;
/** In the folder that is moved, while it is moved. */
const PROGRESS_FILE = 'migration.json';

interface Progress {
  /** The id of the record. */
  readonly record: string;
  /** The cursor of the last page that was written. */
  readonly after: string | null;
}

/** Moves everything, then compares both ends. Throws INVALID_REQUEST where the end to move to is not empty. */
export async function migrate({ from, to, openRecord }: MigrateOptions): Promise<Migrated> {
  const record = openRecord(isAddress(from) ? from : to);
  try {
    if (isAddress(from)) return await toFolder(record, to);
    return await toRecord(from, record);
  } finally {
    await record.close();
  }
}

async function toRecord(dir: string, record: SharedRecord): Promise<Migrated> {
  const file = join(dir, PROGRESS_FILE);
  const { record: id, seq } = await record.open();
  const known = readProgress(file);
  if (known?.record !== id && seq > 0) throw notEmpty(`The record at ${record.address}`);
  const source = await openServed(dir);
  try {
    let after = known?.record === id ? known.after : null;
    const save = (cursor: string | null) =>
      writeFileSync(file, JSON.stringify({ record: id, after: cursor } satisfies Progress), { mode: 0o600 });
    save(after);
    for (;;) {
      const page = await source.store.scan({ limit: PAGE, ...(after === null ? {} : { after }) });
      const states = source.copy.states(page.entities.map(({ id: entity }) => entity));
      if (states.entities.length > 0) await record.inTurn((turn) => turn.write(states));
      if (page.cursor === undefined) break;
      after = page.cursor;
      save(after);
    }
    const edges = source.copy.edges();
    for (let at = 0; at < edges.length; at += EDGES_AT_ONCE) {
      const some = edges.slice(at, at + EDGES_AT_ONCE).map((edge) => ({ edge, isDeleted: false }));
      await record.inTurn((turn) => turn.write({ edges: some }));
    }
    const embedders = { served: source.copy.served, building: null };
    await record.inTurn((turn) => turn.write({ embedders }));
    const report = await compareWithRecord(source, record);
    rmSync(file, { force: true });
    return report;
  } finally {
    await source.close();
  }
}

/** The folder follows the record until it has everything, and then is a store of its own. */
async function toFolder(record: SharedRecord, dir: string): Promise<Migrated> {
  const copy = await openEmbedded({ dir, embedder: null, isCopy: true });
  try {
    if (copy.copy.position === null && !copy.copy.isEmpty) throw notEmpty(dir);
    await new Follower({ record, copy: copy.copy, maxBehindMs: 0 }).catchUp();
    await copy.copy.release();
  } finally {
    await copy.close();
  }
  const target = await openServed(dir);
  try {
    return await compareWithRecord(target, record);
  } finally {
    await target.close();
  }
}

/** With a copy of the record that was made for it. */
async function compareWithRecord(store: EmbeddedEngine, record: SharedRecord): Promise<Compared> {
  const dir = mkdtempSync(join(tmpdir(), 'dowser-compare-'));
  try {
    const copy = await openEmbedded({ dir, embedder: store.vectors.embedder, isCopy: true });
    try {
      await new Follower({ record, copy: copy.copy, maxBehindMs: 0 }).catchUp();
      return await compareEngines(store, copy);
    } finally {
      await copy.close();
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Opened for the embedder that it serves, whatever the settings say. */
async function openServed(dir: string): Promise<EmbeddedEngine> {
  const store = await openEmbedded({ dir, embedder: null });
  const { served } = store.copy;
  if (served === null) return store;
  await store.close();
  return openEmbedded({ dir, embedder: served });
}

function readProgress(file: string): Progress | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Progress) : null;
}

function notEmpty(what: string): DowserError {
  return new DowserError('INVALID_REQUEST', `${what} is not empty.`, {
    field: 'to',
    hint: 'Move to an empty database or a new folder.',
  });
}
