import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { liveALittle, portrait } from '../../../test/support/engine-life.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { Engine } from '../engine.ts';
import { DATABASE_FILE, openEmbedded, SNAPSHOT_FILE } from './open-embedded.ts';
import { Database } from './record/database.ts';
import { storeFilesIn } from './record/store-files.ts';

let folder: ReturnType<typeof temporaryFolder>;
let warnings: string[];
const opened: Engine[] = [];
const log = { info() {}, warn: (details: object) => warnings.push(JSON.stringify(details)) };
const now = () => new Date(Date.UTC(2026, 0, 1));

async function open(snapshotAfterUnits = 0): Promise<Engine> {
  const engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, log, now, snapshotAfterUnits });
  opened.push(engine);
  return engine;
}

const pathOf = (file: string) => join(folder.path, file);

/** As a new file, without those that describe the old one. */
function putBack(database: Buffer): void {
  const { log, sharedMemory, lastRevision, sums } = storeFilesIn(folder.path);
  for (const file of [log, sharedMemory, lastRevision, sums]) rmSync(file, { force: true });
  writeFileSync(pathOf(DATABASE_FILE), database);
}

/** Writes to the database with its sums left out, as a version of Dowser without them. */
function edit(sql: string): void {
  rmSync(storeFilesIn(folder.path).sums, { force: true });
  const database = new Database(pathOf(DATABASE_FILE));
  database.exec(sql);
  database.close();
}

beforeEach(() => {
  folder = temporaryFolder();
  warnings = [];
});

afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close();
  folder.remove();
});

describe('a snapshot of the index', () => {
  /** Closes with a snapshot, then writes more without one, so that the next start has something to replay. */
  async function closedWithSomethingToReplay(): Promise<unknown> {
    const first = await open();
    await liveALittle(first, 0, 40);
    await first.close();
    const second = await open(Number.POSITIVE_INFINITY);
    await liveALittle(second, 15, 60);
    const seen = await portrait(second);
    await second.close();
    return seen;
  }

  it('is brought up to date with what was written since', async () => {
    const seen = await closedWithSomethingToReplay();
    const before = readFileSync(pathOf(SNAPSHOT_FILE));
    expect(await portrait(await open())).toEqual(seen);
    expect(warnings).toEqual([]);
    expect(readFileSync(pathOf(SNAPSHOT_FILE)).equals(before)).toBe(true);
  });

  it('is brought up to date with an entity that changed around a text and a vector that did not', async () => {
    const first = await open();
    await first.store.put([indexed(server('/a', 'lamp'))]);
    await first.close();
    const second = await open(Number.POSITIVE_INFINITY);
    await second.store.put([indexed(server('/a', 'lamp', { status: 'beta' }), { vectors: false })]);
    const seen = await portrait(second);
    await second.close();
    const third = await open();
    expect(await portrait(third)).toEqual(seen);
    expect(await third.index.stats()).toMatchObject({ vectors: 1, missingVectors: 0 });
  });

  it('is brought up to date after an engine that was never closed', async () => {
    await closedWithSomethingToReplay();
    const running = await open(Number.POSITIVE_INFINITY);
    await liveALittle(running, 30, 70);
    const seen = await portrait(running);
    await running.close();
    for (let again = 0; again < 2; again++) {
      const engine = await open(Number.POSITIVE_INFINITY);
      expect(await portrait(engine)).toEqual(seen);
      await engine.close();
    }
    expect(warnings).toEqual([]);
  });

  it('does without when there is none, and leaves one at once for the next start', async () => {
    const seen = await closedWithSomethingToReplay();
    rmSync(pathOf(SNAPSHOT_FILE));
    const engine = await open();
    expect(await portrait(engine)).toEqual(seen);
    expect(warnings).toHaveLength(1);
    const written = statSync(pathOf(SNAPSHOT_FILE)).mtimeMs;
    await engine.close();
    expect(statSync(pathOf(SNAPSHOT_FILE)).mtimeMs).toBe(written);
  });

  it.each([0, 1, 7, 16, 40, 100])('does without one that was cut off at %i percent', async (percent) => {
    const seen = await closedWithSomethingToReplay();
    const { size } = statSync(pathOf(SNAPSHOT_FILE));
    truncateSync(pathOf(SNAPSHOT_FILE), Math.min(size - 1, Math.floor((size * percent) / 100)));
    expect(await portrait(await open())).toEqual(seen);
    expect(warnings).toHaveLength(1);
  });

  it('does without one with a flipped bit, wherever it is', async () => {
    const seen = await closedWithSomethingToReplay();
    const whole = readFileSync(pathOf(SNAPSHOT_FILE));
    const database = readFileSync(pathOf(DATABASE_FILE));
    const step = Math.ceil(whole.length / 16);
    for (let at = step - 1; at < whole.length; at += step) {
      const flipped = Buffer.from(whole);
      flipped[at] = flipped[at]! ^ 0x10;
      writeFileSync(pathOf(SNAPSHOT_FILE), flipped);
      putBack(database);
      warnings = [];
      const engine = await open(Number.POSITIVE_INFINITY);
      expect(await portrait(engine)).toEqual(seen);
      expect(warnings).toHaveLength(1);
      await engine.close();
    }
  });

  it('is not used for a database that was put back to an older state', async () => {
    const engine = await open();
    await liveALittle(engine, 0, 30);
    const seen = await portrait(engine);
    await engine.close();
    const backup = readFileSync(pathOf(DATABASE_FILE));
    const later = await open();
    await liveALittle(later, 20, 50);
    await later.close();
    putBack(backup);
    expect(await portrait(await open())).toEqual(seen);
    expect(warnings).toHaveLength(1);
  });

  it('is left alone when nothing changed, and written when enough did', async () => {
    const first = await open(500);
    await liveALittle(first, 0, 10);
    await first.close();
    expect(statSync(pathOf(SNAPSHOT_FILE), { throwIfNoEntry: false })).toBeUndefined();
    const second = await open(10);
    await second.close();
    const written = statSync(pathOf(SNAPSHOT_FILE)).mtimeMs;
    const third = await open(10);
    await third.store.put([indexed(server('/one', 'more'))]);
    await third.close();
    expect(statSync(pathOf(SNAPSHOT_FILE)).mtimeMs).toBe(written);
  });

  it('that cannot be written is no reason to fail', async () => {
    const engine = await open();
    await liveALittle(engine, 0, 20);
    const seen = await portrait(engine);
    mkdirSync(pathOf(`${SNAPSHOT_FILE}.tmp`));
    await engine.close();
    expect(warnings).toHaveLength(1);
    expect(await portrait(await open())).toEqual(seen);
  });
});

it('opens a store of version 8: with analyses, whole texts to embed, and an index snapshot of its own', async () => {
  const engine = await open();
  await liveALittle(engine, 0, 30);
  const seen = await portrait(engine);
  await engine.close();
  rmSync(pathOf(SNAPSHOT_FILE));
  edit(`UPDATE units SET analyzer = 1, analysis = x'01';
    DROP TABLE retired;
    CREATE TABLE retired (row INTEGER PRIMARY KEY, analysis BLOB NOT NULL);
    INSERT INTO retired VALUES (0, x'0101');
    CREATE INDEX vectors_by_seq ON vectors (seq);
    PRAGMA user_version = 8`);
  // A process that ends before it has left a snapshot of its own.
  const ended = await open(Number.POSITIVE_INFINITY);
  expect(await portrait(ended)).toEqual(seen);
  await ended.close();
  const again = await open();
  expect(await portrait(again)).toEqual(seen);
  await liveALittle(again, 30, 60);
  const later = await portrait(again);
  await again.close();
  expect(await portrait(await open())).toEqual(later);
});

it('counts the bytes of its files, also after a write', async () => {
  const engine = await open();
  const { bytes } = await engine.index.stats();
  expect(bytes).toBeGreaterThan(0);
  await liveALittle(engine, 0, 60);
  expect((await engine.index.stats()).bytes).toBeGreaterThan(bytes!);
});

describe('a data folder that cannot be used', () => {
  const rejection = async (): Promise<DowserError> => {
    const error = await open().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(DowserError);
    return error as DowserError;
  };

  it.each([
    ['text', Buffer.from('These are not the bytes of a database. '.repeat(1000))],
    ['a few stray bytes', Buffer.from('x')],
    ['the right beginning and then noise', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(9000, 7)])],
  ])('for a file of %s is STORE_CORRUPT, names the file and leaves it alone', async (_, bytes) => {
    writeFileSync(pathOf(DATABASE_FILE), bytes);
    const error = await rejection();
    expect(error.code).toBe('STORE_CORRUPT');
    expect(error.message).toContain(pathOf(DATABASE_FILE));
    expect(error.hint).toContain('backup');
    expect(readFileSync(pathOf(DATABASE_FILE)).equals(bytes)).toBe(true);
  });

  it('for a database that was cut off is STORE_CORRUPT', async () => {
    const engine = await open();
    await liveALittle(engine, 0, 60);
    await engine.close();
    truncateSync(pathOf(DATABASE_FILE), Math.floor(statSync(pathOf(DATABASE_FILE)).size / 2));
    expect((await rejection()).code).toBe('STORE_CORRUPT');
  });

  it('for a database of another program is STORE_CORRUPT', async () => {
    const other = new Database(pathOf(DATABASE_FILE));
    other.exec('CREATE TABLE songs (title TEXT)');
    other.close();
    expect(await rejection()).toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('another program'),
    });
  });

  it('for a database of a later Dowser is STORE_TOO_NEW', async () => {
    await (await open()).close();
    const database = new Database(pathOf(DATABASE_FILE));
    database.exec('PRAGMA user_version = 99');
    database.close();
    const error = await rejection();
    expect(error).toMatchObject({ code: 'STORE_TOO_NEW', message: expect.stringMatching(/version 99.*version \d+/) });
  });

  it('for a file in place of the folder is ENGINE_UNAVAILABLE', async () => {
    const file = pathOf('file');
    writeFileSync(file, '');
    await expect(openEmbedded({ dir: file, embedder: null })).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  });

  it('while this process has it open is STORE_LOCKED, and free again after the close', async () => {
    const engine = await open();
    const other = `${folder.path}-link`;
    symlinkSync(folder.path, other);
    for (const dir of [folder.path, other]) {
      await expect(openEmbedded({ dir, embedder: null })).rejects.toMatchObject({
        code: 'STORE_LOCKED',
        message: `This process has the data folder ${dir} open already.`,
        hint: expect.stringContaining('close it before another is opened'),
      });
    }
    rmSync(other);
    await engine.store.put([indexed(server('/a', 'still works'))]);
    await engine.close();
    expect((await (await open()).index.stats()).entities).toBe(1);
  });

  it('while another process has it open is STORE_LOCKED with its pid, and free again when that is killed', async () => {
    const script = fileURLToPath(new URL('../../../test/support/engine-holder.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, folder.path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const error = await rejection();
      expect(error).toMatchObject({ code: 'STORE_LOCKED', message: expect.stringContaining(`Process ${child.pid} `) });
      expect(error.hint).toContain('stop that process');
      expect(error.details).toEqual({ data_dir: folder.path, pid: child.pid });
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect((await (await open()).index.stats()).entities).toBe(1);
  });
});
