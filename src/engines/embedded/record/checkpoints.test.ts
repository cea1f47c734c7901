import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { indexed, server, temporaryFolder } from '../../../../test/support/engine-fixtures.ts';
import { turnsDuring } from '../../../../test/support/turns-during.ts';
import { asSearch } from '../../../turns/search-turns.ts';
import { atOnce, inSlices, oneSlice } from '../../in-slices.ts';
import { openEmbedded } from '../open-embedded.ts';
import { CheckpointThread } from './checkpoint-thread.ts';
import { Checkpoints } from './checkpoints.ts';
import { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import type { PageSums } from './page-sums.ts';
import { storeFilesIn } from './store-files.ts';
import type { WalScan } from './wal-scan.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  folder.remove();
});

const PAGE_BYTES = 8192;

/** Writes twenty pages at a time. Gives the size of the log after each write, in pages. */
async function logSizes(between: () => Promise<void> | undefined): Promise<readonly number[]> {
  const files = storeFilesIn(folder.path);
  const database = openDatabase(files);
  database.exec('CREATE TABLE pages (bytes BLOB)');
  const add = database.prepare('INSERT INTO pages VALUES (?)');
  const sizes: number[] = [];
  for (let write = 0; write < 100; write++) {
    database.transaction(() => {
      for (let page = 0; page < 20; page++) add.run(new Uint8Array(PAGE_BYTES - 1000).fill(write));
    });
    sizes.push(statSync(files.log).size / PAGE_BYTES);
    const turn = between();
    if (turn !== undefined) await turn;
  }
  database.close();
  return sizes;
}

it('copies a few hundred pages at a time: everything else waits for it', async () => {
  const sizes = await logSizes(() => setImmediate());
  // The log begins again after each checkpoint.
  expect(Math.max(...sizes)).toBeGreaterThan(100);
  expect(Math.max(...sizes)).toBeLessThan(400);
});

it('does not wait for a turn that never comes', async () => {
  const sizes = await logSizes(() => undefined);
  expect(Math.max(...sizes)).toBeGreaterThan(400);
  expect(Math.max(...sizes)).toBeLessThan(700);
});

it('lets a search end before it copies', async () => {
  // The clock stands still: how long the machine takes decides nothing.
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  const files = storeFilesIn(folder.path);
  const database = openDatabase(files);
  database.exec('CREATE TABLE pages (bytes BLOB)');
  const steps: string[] = [];
  const { run } = CheckpointThread.prototype;
  vi.spyOn(CheckpointThread.prototype, 'run').mockImplementation(function (this: CheckpointThread) {
    steps.push('copied');
    return run.call(this);
  });
  const search = asSearch(async () => {
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    steps.push('answer');
  });
  const add = database.prepare('INSERT INTO pages VALUES (?)');
  database.transaction(() => {
    for (let page = 0; page < 300; page++) add.run(new Uint8Array(PAGE_BYTES - 1000));
  });
  steps.push('written');
  await search;
  while (steps.length < 3) await setImmediate();
  expect(steps).toEqual(['written', 'answer', 'copied']);
  database.close();
});

/** So many pages are a long log. */
const MANY_PAGES = 1200;

/** A database whose own connection notes when it copies the log. */
function watchedDatabase() {
  const database = openDatabase(storeFilesIn(folder.path));
  database.exec('CREATE TABLE pages (bytes BLOB)');
  const add = database.prepare('INSERT INTO pages VALUES (?)');
  const addMany = () => {
    for (let page = 0; page < MANY_PAGES; page++) add.run(new Uint8Array(PAGE_BYTES - 1000).fill(page));
  };
  const exec = vi.spyOn(database, 'exec');
  return {
    database,
    addMany,
    copiedHere: () => exec.mock.calls.filter(([sql]) => sql.includes('wal_checkpoint')).length,
    /** Pages of the log, and how many of them are copied. */
    log: () => database.prepare('PRAGMA wal_checkpoint(NOOP)').get<{ log: number; checkpointed: number }>()!,
  };
}

it('copies a long log in a thread of its own, and others have turns meanwhile', async () => {
  const { database, addMany, copiedHere, log } = watchedDatabase();
  expect(await turnsDuring(inSlices(database.slicedTransaction(() => oneSlice(addMany))))).toBeGreaterThan(20);
  expect(log().log).toBeGreaterThan(MANY_PAGES);
  expect(log().checkpointed).toBe(log().log);
  expect(copiedHere()).toBe(0);
  database.close();
});

it('has copied a long log when a write at once is done', () => {
  const { database, addMany, copiedHere, log } = watchedDatabase();
  for (let write = 0; write < 2; write++) {
    database.transaction(addMany);
    expect(log().checkpointed).toBe(log().log);
  }
  expect(copiedHere()).toBe(0);
  database.close();
});

/** Enough for a checkpoint in a turn of its own, and too few for one at once. */
const PAGES = 300;

it('copies no page of the log before its sum is written', async () => {
  const done: string[] = [];
  const database = { exec: () => {}, prepare: () => ({ get: () => ({ log: PAGES }) }) } as unknown as Database;
  vi.spyOn(CheckpointThread.prototype, 'run').mockImplementation(async () => void done.push('copy'));
  const wal = { frames: PAGES, generation: 1, advance: () => new Map() } as unknown as WalScan;
  const sums = {
    *update() {
      yield;
      done.push('sums');
    },
    flush: async () => {},
    sync: () => done.push('sync'),
  } as unknown as PageSums;
  const checkpoints = new Checkpoints(database, wal, sums);
  atOnce(checkpoints.committed());
  const next = checkpoints.committed();
  next.next();
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(done).toEqual(['sums']);
  atOnce(next);
  for (let turn = 0; turn < 20; turn++) await setImmediate();
  expect(done.slice(1)).toEqual(['sums', 'sync', 'copy']);
});

it('copies a short log of an engine in the thread, between two writes', async () => {
  const steps: string[] = [];
  const { run, finish } = CheckpointThread.prototype;
  vi.spyOn(CheckpointThread.prototype, 'run').mockImplementation(async function (this: CheckpointThread) {
    steps.push('begins');
    await run.call(this);
    // A write could end meanwhile.
    for (let turn = 0; turn < 2000; turn++) await setImmediate();
    steps.push('ends');
  });
  vi.spyOn(CheckpointThread.prototype, 'finish').mockImplementation(function (this: CheckpointThread) {
    steps.push('finished');
    finish.call(this);
  });
  const engine = await openEmbedded({ dir: folder.path, embedder: null });
  const { exec } = Database.prototype;
  vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database, sql) {
    if (sql === 'COMMIT') steps.push('commit');
    else if (sql.includes('wal_checkpoint')) steps.push('copied here');
    exec.call(this, sql);
  });
  const text = (n: number) => Array.from({ length: 400 }, (_, word) => `word${n}x${word}`).join(' ');
  for (let write = 0; write < 10; write++) {
    const names = Array.from({ length: 20 }, (_, n) => 20 * write + n);
    await engine.store.put(names.map((n) => indexed(server(`/s${n}`, text(n)), { vectors: false })));
  }
  await engine.store.delete([]);
  expect(steps).not.toContain('copied here');
  const copies = steps.join(' ').match(/begins .*?finished/g) ?? [];
  expect(copies.length).toBeGreaterThan(1);
  expect(new Set(copies)).toEqual(new Set(['begins ends finished']));
  await engine.close();
});
