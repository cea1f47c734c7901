import { copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Entity, entityId, parseEntity } from '../../model/entity.ts';
import { toIndexed } from '../../registry/write/publish.ts';
import { openEmbedded } from './open-embedded.ts';
import { Database } from './record/database.ts';

const EMBEDDER = { id: 'test/words/3', dimensions: 3 };
const SKY = entityId('mcp_server', '/sky');

let dir: string;
let file: string;
beforeEach(async () => {
  warnings = [];
  dir = await mkdtemp(join(tmpdir(), 'dowser-read-only-'));
  file = join(dir, 'dowser.sqlite');
  const made = await mkdtemp(join(tmpdir(), 'dowser-made-'));
  const engine = await openEmbedded({ dir: made, embedder: EMBEDDER, snapshotAfterUnits: 0 });
  await engine.store.put([toIndexed(server('/sky', 'Tells the weather'))]);
  await engine.close();
  // The library removes the files beside a database some time after it is closed.
  for (const name of ['dowser.sqlite', 'index.snapshot']) await copyFile(join(made, name), join(dir, name));
  await rm(made, { recursive: true });
});
afterEach(() => rm(dir, { recursive: true }));

function server(path: string, description: string): Entity {
  return parseEntity({ type: 'mcp_server', path, name: path.slice(1), description }).entity;
}

let warnings: string[];
const log = { info() {}, warn: (_: object, message: string) => warnings.push(message) };
const openReadOnly = (embedder = EMBEDDER) =>
  openEmbedded({ dir, embedder, readOnly: true, log, snapshotAfterUnits: 0 });

/** Every file with its size and the time of its last change. */
async function files(): Promise<readonly string[]> {
  const names = (await readdir(dir)).sort();
  return Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(dir, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
}

describe('a store that is only read', () => {
  it('is read without a lock, and nothing in its folder changes', async () => {
    const before = await files();
    const [one, other] = [await openReadOnly(), await openReadOnly()];
    for (const engine of [one, other]) {
      expect((await engine.store.getMany([SKY])).map(({ entity }) => entity.description)).toEqual([
        'Tells the weather',
      ]);
      expect((await engine.vectors.missing(10)).map(({ text }) => text)).toEqual([expect.stringContaining('weather')]);
    }
    expect(await files()).toEqual(before);
    await one.close();
    await other.close();
    expect([await files(), warnings]).toEqual([before, []]);
  });

  it('builds vectors of another model in memory alone', async () => {
    const before = await files();
    const engine = await openReadOnly({ id: 'test/other/3', dimensions: 3 });
    expect(engine.vectors.embedder?.id ?? engine.vectors.building?.id).toBe('test/other/3');
    await engine.vectors.serveBuilding();
    await engine.close();
    expect(await files()).toEqual(before);
  });

  it('refuses writes', async () => {
    const engine = await openReadOnly();
    await expect(engine.store.put([toIndexed(server('/sea', 'Tells the tide'))])).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('readonly'),
    });
    await expect(engine.store.delete([SKY])).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect((await engine.store.getMany([SKY])).length).toBe(1);
    await engine.close();
  });

  it('sees what a process that has the folder open wrote last', async () => {
    const writer = await openEmbedded({ dir, embedder: EMBEDDER });
    await writer.store.put([toIndexed(server('/sky', 'New words'))]);
    const reader = await openReadOnly();
    expect((await reader.store.getMany([SKY]))[0]?.entity.description).toBe('New words');
    await reader.close();
    await writer.close();
  });

  it('does without a snapshot and analyses that cannot be used', async () => {
    await writeFile(join(dir, 'index.snapshot'), 'half');
    const database = new Database(file);
    database.exec('UPDATE units SET analyzer = 0');
    database.close();
    const engine = await openReadOnly();
    expect((await engine.store.getMany([SKY])).length).toBe(1);
    await engine.close();
    expect(warnings).toEqual(['Index snapshot not used']);
  });

  it('must be there, closed properly, and of this version', async () => {
    const refused = (code: string, message: string) =>
      expect(openReadOnly()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    const crashed = await openEmbedded({ dir, embedder: EMBEDDER });
    await crashed.store.put([toIndexed(server('/sea', 'Tells the tide'))]);
    await copyFile(`${file}-wal`, `${file}-saved`);
    await crashed.close();
    await rm(`${file}-shm`, { force: true });
    await copyFile(`${file}-saved`, `${file}-wal`);
    await refused('ENGINE_UNAVAILABLE', 'was not closed properly');
    await rm(`${file}-wal`);
    const database = new Database(file);
    database.exec('PRAGMA user_version = 3');
    database.close();
    await rm(`${file}-shm`, { force: true });
    await refused('ENGINE_UNAVAILABLE', 'has version 3 and must be updated first');
    await rm(file);
    await refused('STORE_LOST_WRITES', 'is missing: it had 2 entities');
    for (const name of ['dowser.revision', 'index.snapshot']) await rm(join(dir, name));
    await refused('NOT_FOUND', 'There is no database');
  });
});
