import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { entityId } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import { toIndexed } from '../../registry/write/publish.ts';
import { openEmbedded } from './open-embedded.ts';
import { Database } from './record/database.ts';
import { LastRevisionFile } from './record/last-revision.ts';
import { storeFilesIn } from './record/store-files.ts';
import { storeUpkeep } from './store-upkeep.ts';

const root = temporaryFolder();
const KILLED = join(root.path, 'killed');
const dir = join(root.path, 'tried');
const backup = join(root.path, 'backup.sqlite');
const files = storeFilesIn(dir);
const upkeep = storeUpkeep(dir, toIndexed);
const support = (name: string) => fileURLToPath(new URL(`../../../test/support/${name}`, import.meta.url));
const ENTITIES = 400;

beforeAll(() => {
  mkdirSync(KILLED);
  try {
    execFileSync(process.execPath, ['--import', 'tsx', support('store-writer.ts'), KILLED, String(ENTITIES), 'kill']);
  } catch (error) {
    expect((error as { signal: string }).signal).toBe('SIGKILL');
  }
});
afterAll(() => root.remove());
beforeEach(() => {
  rmSync(dir, { recursive: true, force: true });
  rmSync(backup, { force: true });
  cpSync(KILLED, dir, { recursive: true });
});

async function stateOf(): Promise<unknown> {
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
  try {
    const { entities } = await engine.store.scan({ limit: 1000 });
    const notes = await engine.store.annotated('note');
    return { entities, notes: [...notes], vectors: (await engine.index.stats()).vectors };
  } finally {
    await engine.close();
  }
}

function flip(file: string, text: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at] = bytes[at]! ^ 0x20;
  writeFileSync(file, bytes);
}

/** As damage does: the pages have then the wrong sums. */
function changeDatabase(sql: string): void {
  const database = new Database(files.database);
  database.exec(sql);
  database.close();
}

/** Damages the JSON of one entity, with a page that has no sum. */
function spoilDocument(): void {
  changeDatabase("UPDATE entities SET json = substr(json, 2) WHERE id = 'mcp_server:/s7'");
  rmSync(files.sums);
}

describe('a backup', () => {
  it('has everything of a store, with what is only in its log, and restores it', async () => {
    const report = await upkeep.backup(backup);
    expect(report).toMatchObject({ file: backup, entities: ENTITIES, bytes: statSync(backup).size });
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const before = await stateOf();
    rmSync(dir, { recursive: true });
    expect(await upkeep.restore(backup)).toMatchObject({ entities: ENTITIES, kept: null });
    expect(await stateOf()).toEqual(before);
    expect(upkeep.check()).toMatchObject({ entities: ENTITIES, problems: [], pages: expect.toSatisfy((n) => n > 10) });
  });

  it('can be put in place by hand, in an empty folder', async () => {
    await upkeep.backup(backup);
    const before = await stateOf();
    rmSync(dir, { recursive: true });
    mkdirSync(dir);
    cpSync(backup, files.database);
    expect(await stateOf()).toEqual(before);
    expect(await stateOf()).toEqual(before);
  });

  it('is made while another process has the store open and writes', async () => {
    rmSync(dir, { recursive: true });
    // A file and not a pipe: the writer must not wait for this process, which is busy with a backup.
    const said = join(root.path, 'acknowledged');
    const output = openSync(said, 'w');
    const child = spawn(process.execPath, ['--import', 'tsx', support('engine-crash-writer.ts'), dir, '0'], {
      stdio: ['ignore', output, 'inherit'],
    });
    const exited = once(child, 'exit');
    const acknowledged = () => readFileSync(said, 'utf8').split('\n').length - 1;
    try {
      while (acknowledged() === 0) await wait(20);
      for (let round = 0; round < 5; round++) {
        const steps = acknowledged();
        const { revision } = await upkeep.backup(`${backup}.${round}`);
        expect(revision).toBeGreaterThanOrEqual(steps);
        expect(upkeep.check().problems).toEqual([]);
      }
      await expect(upkeep.restore(`${backup}.0`)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    } finally {
      child.kill('SIGKILL');
      await exited;
      closeSync(output);
    }
    expect(await upkeep.restore(`${backup}.4`)).toMatchObject({ kept: expect.stringContaining('replaced-') });
    expect(upkeep.check().problems).toEqual([]);
  });

  it('is not made of a store that lost something, and replaces no file', async () => {
    truncateSync(files.log, 5000);
    await expect(upkeep.backup(backup)).rejects.toMatchObject({ code: 'STORE_LOST_WRITES' });
    expect(existsSync(backup)).toBe(false);
    writeFileSync(backup, 'mine');
    await expect(upkeep.backup(backup)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    expect(readFileSync(backup, 'utf8')).toBe('mine');
    await expect(storeUpkeep(join(root.path, 'none'), toIndexed).backup(`${backup}2`)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('is checked when it is made: a damaged document, which no sum knows, is in none', async () => {
    await stateOf();
    spoilDocument();
    await expect(upkeep.backup(backup)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('mcp_server:/s7'),
    });
    expect([existsSync(backup), existsSync(`${backup}.part`)]).toEqual([false, false]);
  });

  it('is checked before it takes the place of a store', async () => {
    await upkeep.backup(backup);
    const before = await stateOf();
    const copy = new Database(backup);
    copy.exec("UPDATE entities SET json = substr(json, 2) WHERE id = 'mcp_server:/s7'");
    copy.close();
    await expect(upkeep.restore(backup)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(await stateOf()).toEqual(before);
  });

  it('that is damaged is not restored, and the store stays as it is', async () => {
    await upkeep.backup(backup);
    truncateSync(backup, Math.floor(statSync(backup).size / 2));
    await expect(upkeep.restore(backup)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    writeFileSync(backup, 'not a database, but long enough to be taken for one'.repeat(100));
    await expect(upkeep.restore(backup)).rejects.toMatchObject({ code: 'INVALID_FILE' });
    await expect(upkeep.restore(`${backup}-none`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await stateOf()).toMatchObject({ vectors: ENTITIES });
  });

  it.each([
    ['text', 'not a database, but long enough to be taken for one'.repeat(100)],
    ['empty', ''],
    ['a database of another program', null],
  ])('is refused where it is none (%s), before a data folder is created', async (_, content) => {
    if (content !== null) writeFileSync(backup, content);
    else new Database(backup).exec('CREATE TABLE tea (name TEXT)');
    const none = join(root.path, 'none');
    await expect(storeUpkeep(none, toIndexed).restore(backup)).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: `${backup} is not a Dowser backup, or it is damaged.`,
    });
    expect(existsSync(none)).toBe(false);
  });

  it('names the folder that is missing for it', async () => {
    const folder = join(root.path, 'none');
    await expect(upkeep.backup(join(folder, 'b.sqlite'))).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: `There is no folder ${folder} for the backup.`,
    });
  });

  it('replaces a store and keeps its files', async () => {
    await upkeep.backup(backup);
    const before = await stateOf();
    const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
    await engine.store.delete([entityId('mcp_server', '/s1')]);
    await engine.close();
    const { kept } = await upkeep.restore(backup);
    expect(await stateOf()).toEqual(before);
    expect(existsSync(join(kept!, 'dowser.sqlite'))).toBe(true);
  });
});

describe('a deep check', () => {
  it('finds a changed byte on any page', async () => {
    await stateOf();
    expect(upkeep.check().problems).toEqual([]);
    flip(files.database, 'lighthouse');
    expect(() => upkeep.check()).toThrow('wrong checksum');
  });

  it('finds what the sums do not know: structure and documents', async () => {
    await stateOf();
    spoilDocument();
    expect(upkeep.check().problems).toEqual([expect.stringContaining('mcp_server:/s7')]);
  });
});

describe('a repair', () => {
  it('does nothing to a sound store', async () => {
    expect(await upkeep.repair()).toMatchObject({ problems: [], entities: ENTITIES, kept: null });
  });

  it('keeps the database of a lost log, and says how much is lost', async () => {
    rmSync(files.log);
    const report = await upkeep.repair();
    expect(report.problems).toEqual([expect.stringContaining('acknowledged writes')]);
    expect(report).toMatchObject({ entities: ENTITIES / 2, lost: ENTITIES / 2 });
    expect(await stateOf()).toMatchObject({ vectors: ENTITIES / 2 });
  });

  it('keeps each entity that can be read of a damaged database, with its times and notes', async () => {
    const before = (await stateOf()) as { entities: readonly { id: string }[]; notes: unknown };
    spoilDocument();
    const report = await upkeep.repair();
    expect(report).toMatchObject({ entities: ENTITIES - 1, lost: 1, kept: expect.stringContaining('damaged-') });
    expect(await stateOf()).toEqual({
      entities: before.entities.filter(({ id }) => id !== 'mcp_server:/s7'),
      notes: before.notes,
      vectors: 0,
    });
    expect(existsSync(join(report.kept!, 'dowser.sqlite'))).toBe(true);
  });

  it('does not know how much is lost if the last revision is an older copy', async () => {
    spoilDocument();
    new LastRevisionFile(files.lastRevision, { revision: 1, entities: ENTITIES / 2 }).close();
    expect(await upkeep.repair()).toMatchObject({ entities: ENTITIES - 1, lost: null });
  });

  it('leaves out documents that are JSON, but no entity or another one', async () => {
    await stateOf();
    changeDatabase("UPDATE entities SET json = replace(json, '\"name\"', '\"nbme\"') WHERE id = 'mcp_server:/s7'");
    changeDatabase("UPDATE entities SET json = replace(json, '\"/s8\"', '\"/s9\"') WHERE id = 'mcp_server:/s8'");
    expect(await upkeep.repair()).toMatchObject({ entities: ENTITIES - 2, lost: 2 });
    const { entities } = (await stateOf()) as { entities: readonly { id: string }[] };
    expect(entities.map(({ id }) => id)).not.toContain('mcp_server:/s7');
  });

  it('builds everything but the entities again if a page is damaged', async () => {
    await stateOf();
    changeDatabase("UPDATE entities SET facts = '?' || facts WHERE id = 'mcp_server:/s7'");
    expect(await upkeep.repair()).toMatchObject({ entities: ENTITIES, lost: 0 });
    expect(await stateOf()).toMatchObject({ vectors: 0 });
  });

  it('keeps the edges of a damaged database', async () => {
    const edge: Edge = {
      source: entityId('mcp_server', '/s1'),
      target: entityId('mcp_server', '/s2'),
      type: 'REQUIRES',
      weight: 3,
      confidence: 1,
      decay: 0,
      verifiedAt: null,
      provenance: 'import:a',
    };
    let engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
    await engine.edges.put([edge]);
    await engine.close();
    flip(files.database, 'lighthouse');
    await upkeep.repair();
    engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER });
    const { names, source, target, weight } = await engine.edges.load();
    expect([names[source[0]!], names[target[0]!], weight[0]]).toEqual([edge.source, edge.target, 3]);
    await engine.close();
  });

  it('keeps what is left of a cut database', async () => {
    await stateOf();
    truncateSync(files.database, Math.floor(statSync(files.database).size * 0.6));
    const { entities, lost } = await upkeep.repair();
    expect(entities).toBeGreaterThan(10);
    expect(entities + lost!).toBe(ENTITIES);
    expect(((await stateOf()) as { entities: unknown[] }).entities).toHaveLength(entities);
  });

  it('starts empty, on request, where nothing is left', async () => {
    rmSync(files.database);
    expect(await upkeep.repair()).toMatchObject({ entities: 0, lost: ENTITIES });
    expect(await stateOf()).toMatchObject({ entities: [] });
  });
});
