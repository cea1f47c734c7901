import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { embedMissing, indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { liveALittle, portrait } from '../../../test/support/engine-life.ts';
import { retrieveText } from '../../../test/support/retrieve.ts';
import { entityId } from '../../model/entity.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import type { Database } from './record/database.ts';
import { EdgeRecord } from './record/edge-record.ts';
import { openDatabase } from './record/open-database.ts';
import { RecordStore } from './record/record-store.ts';
import { storeFilesIn } from './record/store-files.ts';
import { SILENT_LOG } from './snapshot/engine-log.ts';
import { loadIndex } from './snapshot/load-index.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: Database;

function open(): EmbeddedEngine {
  database = openDatabase(storeFilesIn(folder.path));
  const record = new RecordStore(database);
  record.serve(TOY_EMBEDDER);
  const { index } = loadIndex(record, TOY_EMBEDDER, join(folder.path, 'index.snapshot'), SILENT_LOG);
  const onClose = () => database.close();
  const edges = new EdgeRecord(database, (work) => record.write(work));
  const options = { edges, now: () => new Date(0), files: [], onWrite() {}, onClose, vectorServer: null };
  return new EmbeddedEngine(record, index, options);
}

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => {
  database.close();
  folder.remove();
});

it('keeps nothing of a write to a full disk, and goes on when there is space again', async () => {
  const engine = open();
  await liveALittle(engine, 0, 20);
  const seen = await portrait(engine);
  const big = server('/big', 'lamp '.repeat(15_000));
  const batch = [indexed(server('/s1', 'lamp replaced')), indexed(big), indexed(server('/other', 'lamp'))];

  database.exec(`PRAGMA max_page_count = ${Number(database.pragma('page_count')) + 2}`);
  await expect(engine.store.put(batch)).rejects.toMatchObject({
    code: 'STORE_FULL',
    hint: expect.stringContaining('space'),
  });
  expect(await portrait(engine)).toEqual(seen);

  database.exec('PRAGMA max_page_count = 1000000');
  await engine.store.put(batch);
  expect((await engine.store.getMany([entityId('mcp_server', '/big')]))[0]?.entity.description).toBe(big.description);
  const hits = await retrieveText(engine.index, { text: 'lamp', limit: 100 });
  expect(hits.map(({ entity }) => entity)).toContain('mcp_server:/other');
  const after = await portrait(engine);
  await engine.close();
  expect(await portrait(open())).toEqual(after);
});

it('touches neither text nor vectors of a unit that is put again as it was', async () => {
  const engine = open();
  const tools = [{ name: 'one' }, { name: 'two' }];
  await engine.store.put([indexed(server('/a', 'x', { tools } as object))]);
  database.exec(`CREATE TEMP TRIGGER touched BEFORE UPDATE ON units BEGIN SELECT RAISE(ABORT, 'unit written'); END`);
  await engine.store.put([indexed(server('/a', 'x', { tools, status: 'beta' } as object), { vectors: false })]);
  expect(await engine.index.stats()).toMatchObject({ units: 3, vectors: 3, missingVectors: 0 });
  expect((await engine.store.getMany([entityId('mcp_server', '/a')]))[0]?.entity.status).toBe('beta');
  await expect(engine.store.put([indexed(server('/a', 'y', { tools } as object))])).rejects.toThrow('unit written');
});

it('stores a new title of a unit whose text is as before', async () => {
  const engine = open();
  const { entity, units } = indexed(server('/a', 'compass'));
  await engine.store.put([{ entity, units }]);
  await engine.store.put([{ entity, units: units.map((unit) => ({ ...unit, title: 'Renamed' })) }]);
  const titles = async (opened: EmbeddedEngine) => {
    const hits = await retrieveText(opened.index, { text: 'compass' });
    return hits.map(({ title }) => title);
  };
  expect(await titles(engine)).toEqual(['Renamed']);
  await engine.close();
  expect(await titles(open())).toEqual(['Renamed']);
});

it('counts an empty or damaged vector as missing, and gets a new one for it', async () => {
  const engine = open();
  await engine.store.put([indexed(server('/a', 'lamp')), indexed(server('/b', 'rope')), indexed(server('/c', 'sail'))]);
  const [a, b] = Array.from(database.prepare('SELECT no FROM vectors ORDER BY no').iterate<{ no: number }>());
  database.prepare("UPDATE vectors SET vector = x'' WHERE no = ?").run(a!.no);
  database.prepare("UPDATE vectors SET vector = x'0000803f' WHERE no = ?").run(b!.no);
  await engine.close();
  const again = open();
  expect(await again.index.stats()).toMatchObject({ vectors: 1, missingVectors: 2, staleVectors: 0 });
  expect((await again.vectors.missing(10)).map(({ unit }) => unit)).toEqual([
    'mcp_server:/a#card',
    'mcp_server:/b#card',
  ]);
  expect(await embedMissing(again)).toBe(2);
  expect(await again.index.stats()).toMatchObject({ vectors: 3, missingVectors: 0 });
});

it('updates and deletes an entity whose address has half a character', async () => {
  const engine = open();
  for (const skill_md_url of ['\ud800', 'https://lamp/\udfff', 'plain']) {
    await engine.store.put([indexed({ type: 'skill', path: '/half', name: 'half', description: 'x', skill_md_url })]);
  }
  await engine.store.put([indexed({ type: 'skill', path: '/half', name: 'half', skill_md_url: 'a\ud83d' })]);
  expect(await engine.store.delete([entityId('skill', '/half')])).toBe(1);
  await engine.close();
});
