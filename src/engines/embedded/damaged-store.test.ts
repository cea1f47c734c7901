import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { entityId } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { openEmbedded } from './open-embedded.ts';
import { Database } from './record/database.ts';
import { LastRevisionFile } from './record/last-revision.ts';
import { storeFilesIn } from './record/store-files.ts';

/** A store that was killed with writes in its log, and the same store closed. */
const root = temporaryFolder();
const KILLED = join(root.path, 'killed');
const CLOSED = join(root.path, 'closed');
const dir = join(root.path, 'tried');
const files = storeFilesIn(dir);
const WRITER = fileURLToPath(new URL('../../../test/support/store-writer.ts', import.meta.url));
const ENTITIES = 400;

beforeAll(() => {
  for (const [folder, end] of [
    [KILLED, 'kill'],
    [CLOSED, 'close'],
  ] as const) {
    mkdirSync(folder);
    try {
      execFileSync(process.execPath, ['--import', 'tsx', WRITER, folder, String(ENTITIES), end]);
    } catch (error) {
      expect((error as { signal: string }).signal).toBe('SIGKILL');
    }
  }
});
afterAll(() => root.remove());
beforeEach(() => use(KILLED));

function use(store: string): void {
  rmSync(dir, { recursive: true, force: true });
  cpSync(store, dir, { recursive: true });
}

interface Opened {
  readonly entities: number;
  readonly vectors: number;
  readonly warnings: readonly string[];
}

async function open(): Promise<Opened> {
  const warnings: string[] = [];
  const log = { info() {}, warn: (_: object, message: string) => warnings.push(message) };
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER, log });
  try {
    const { entities, vectors } = await engine.index.stats();
    const read = await engine.store.scan({ limit: 1000 });
    expect(read.entities).toHaveLength(entities);
    return { entities, vectors, warnings };
  } finally {
    await engine.close();
  }
}

/** In the header of every SQLite file. */
const USER_VERSION_AT = 60;

/** Opening fails, and none of the files that hold data has changed. */
async function refusal(): Promise<DowserError> {
  const before = contents();
  const thrown = await open().then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(DowserError);
  expect(contents()).toEqual(before);
  return thrown as DowserError;
}

const contents = () =>
  readdirSync(dir)
    .filter((name) => !/lock|-shm/.test(name) && statSync(join(dir, name)).size > 0)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(dir, name)))
          .digest('hex')}`,
    );

const EDGE: Edge = {
  source: entityId('mcp_server', '/s1'),
  target: entityId('mcp_server', '/s2'),
  type: 'REQUIRES',
  weight: 1,
  confidence: 1,
  decay: 0,
  verifiedAt: null,
  provenance: 'import:a',
};

async function weightOfEdge(): Promise<number | undefined> {
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
  try {
    return (await engine.edges.load()).weight[0];
  } finally {
    await engine.close();
  }
}

const cut = (file: string, share: number) => truncateSync(file, Math.floor(statSync(file).size * share));

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = bytes[at]! ^ 0x20;
  writeFileSync(file, bytes);
}

it('opens whole after a kill, with its log', async () => {
  expect(statSync(files.log).size).toBeGreaterThan(10_000);
  expect(await open()).toEqual({ entities: ENTITIES, vectors: ENTITIES, warnings: [] });
  expect(await open()).toEqual({ entities: ENTITIES, vectors: ENTITIES, warnings: [] });
});

describe('a store that lost something is refused, with what is lost', () => {
  it.each([KILLED, CLOSED])('a missing database (%s)', async (store) => {
    use(store);
    rmSync(files.database);
    const error = await refusal();
    expect(error).toMatchObject({ code: 'STORE_LOST_WRITES', details: { revision: 0 } });
    expect(error.message).toMatch(/is missing: it had 400 entities after \d+ acknowledged writes/);
    expect(error.hint).toContain('dowser restore FILE');
    expect(error.hint).toContain('dowser doctor --repair');
  });

  it.each([KILLED, CLOSED])('an empty database (%s)', async (store) => {
    use(store);
    truncateSync(files.database);
    expect((await refusal()).message).toMatch(/is empty: it had 400 entities/);
  });

  it('a missing database of an earlier version, which left only a log or a snapshot', async () => {
    rmSync(files.database);
    rmSync(files.lastRevision);
    expect((await refusal()).code).toBe('STORE_LOST_WRITES');
    writeFileSync(files.snapshot, 'anything');
    rmSync(files.log);
    expect((await refusal()).code).toBe('STORE_LOST_WRITES');
  });

  it.each([0.2, 0.5, 0.9])('a database cut to %f of its length beside its log', async (share) => {
    cut(files.database, share);
    const error = await refusal();
    expect(error.code).toBe('STORE_CORRUPT');
    expect(error.message).toMatch(/\d+ of its \d+ pages are missing/);
  });

  it('a missing log', async () => {
    rmSync(files.log);
    const error = await refusal();
    expect(error.code).toBe('STORE_LOST_WRITES');
    expect(error.message).toMatch(/has \d+ of \d+ acknowledged writes: the last \d+ are lost/);
    expect(error.details!.last_revision).toBeGreaterThan(error.details!.revision!);
  });

  it('a missing log beside an older copy of the last revision', async () => {
    new LastRevisionFile(files.lastRevision, { revision: 1, entities: 1 }).close();
    rmSync(files.log);
    const error = await refusal();
    expect(error.code).toBe('STORE_CORRUPT');
    expect(error.message).toMatch(/\d+ of \d+ pages have a wrong checksum/);
  });

  it.each([0, 0.1, 0.5, 0.99])('a log cut to %f of its length', async (share) => {
    cut(files.log, share);
    expect((await refusal()).code).toBe('STORE_LOST_WRITES');
  });

  it('a changed byte in the log', async () => {
    const { size } = statSync(files.log);
    for (const at of [3, 20, 40, Math.floor(size / 3)]) {
      use(KILLED);
      flip(files.log, at);
      expect((await refusal()).code).toBe('STORE_LOST_WRITES');
    }
  });

  it('the last edges of the log', async () => {
    const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
    for (const weight of [1, 2, 3]) await engine.edges.put([{ ...EDGE, weight }]);
    const killed = join(root.path, 'killed-with-edges');
    cpSync(dir, killed, { recursive: true });
    await engine.close();
    use(killed);
    expect(await weightOfEdge()).toBe(3);
    use(killed);
    truncateSync(files.log, statSync(files.log).size - 1);
    const { code, message } = await refusal();
    expect(code).toBe('STORE_LOST_WRITES');
    expect(message).toContain('the last 1 are lost');
  });

  it('a changed byte inside a row, which SQLite reads without a word', async () => {
    use(CLOSED);
    const at = readFileSync(files.database).indexOf('lighthouse');
    expect(at).toBeGreaterThan(0);
    flip(files.database, at);
    expect((await refusal()).message).toMatch(/1 of \d+ pages have a wrong checksum \(\d+\)/);
  });

  it.each([-1, 0, 3, 1_000_000])('a database whose version is damaged: %d', async (version) => {
    use(CLOSED);
    const bytes = readFileSync(files.database);
    bytes.writeInt32BE(version, USER_VERSION_AT);
    writeFileSync(files.database, bytes);
    expect((await refusal()).code).toBe('STORE_CORRUPT');
  });

  it('a database without one of its tables', async () => {
    rmSync(files.sums, { force: true });
    const database = new Database(files.database);
    database.exec('ALTER TABLE units RENAME TO unit');
    database.close();
    await expect(open()).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('a database of an earlier state', async () => {
    const old = readFileSync(files.database);
    use(CLOSED);
    writeFileSync(files.database, old);
    expect(['STORE_CORRUPT', 'STORE_LOST_WRITES']).toContain((await refusal()).code);
  });
});

describe('what can be made again is replaced', () => {
  it.each(['noise', '', 'SQLite format 3\0 and then noise'.padEnd(5000, '?')])('a damaged lock file', async (text) => {
    writeFileSync(files.lock, text);
    expect((await open()).entities).toBe(ENTITIES);
    const lock = new Database(files.lock);
    expect(lock.prepare('SELECT count(*) AS count FROM holder').get()).toEqual({ count: 1 });
    lock.close();
  });

  it('a damaged snapshot', async () => {
    const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER, snapshotAfterUnits: 0 });
    await engine.close();
    flip(files.snapshot, 1000);
    const damaged = readFileSync(files.snapshot);
    expect(await open()).toMatchObject({ entities: ENTITIES, warnings: ['Index snapshot not used'] });
    expect(statSync(files.snapshot, { throwIfNoEntry: false })?.size === damaged.length).toBe(false);
    expect(await open()).toMatchObject({ entities: ENTITIES, warnings: [] });
  });

  it.each(['', 'noise'])('a damaged note of the last revision', async (text) => {
    writeFileSync(files.lastRevision, text);
    expect((await open()).entities).toBe(ENTITIES);
    rmSync(files.database);
    expect((await refusal()).message).toMatch(/it had 400 entities/);
  });

  it('a missing file of page sums', async () => {
    rmSync(files.sums, { force: true });
    expect((await open()).entities).toBe(ENTITIES);
  });
});
