import { cpSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { portrait } from '../../../test/support/engine-life.ts';
import { retrieveText } from '../../../test/support/retrieve.ts';
import { turnsDuring } from '../../../test/support/turns-during.ts';
import { type EntityId, entityId } from '../../model/entity.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import { openEmbedded } from './open-embedded.ts';
import { deepCheck } from './record/deep-check.ts';
import { storeFilesIn } from './record/store-files.ts';

let folder: ReturnType<typeof temporaryFolder>;
let engine: EmbeddedEngine;
const open = (dir = folder.path) => openEmbedded({ dir, embedder: TOY_EMBEDDER });
beforeEach(async () => {
  folder = temporaryFolder();
  engine = await open();
  await engine.store.put([indexed(server('/first', 'lighthouse')), indexed(server('/s3', 'older text'))]);
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const COUNT = 600;
/** So many are written in one slice. */
const FEW = 20;
const id = (n: number): EntityId => entityId('mcp_server', `/s${n}`);
const IDS = Array.from({ length: COUNT }, (_, n) => id(n));
/** Words of each entity alone, so that there are many posting lists. */
const text = (word: string, n: number) => Array.from({ length: 80 }, (_, w) => `${word} ${word}${n}x${w}`).join(' ');
const batchOf = (word: string, count = COUNT) =>
  Array.from({ length: count }, (_, n) => {
    return { ...indexed(server(`/s${n}`, text(word, n)), { vectors: false }), annotations: { word } };
  });

const withoutTimes = (whole: unknown) =>
  JSON.parse(JSON.stringify(whole).replaceAll(/"(cre|upd)atedAt":"[^"]*"/g, '"at":0'));

interface Seen {
  readonly hits: number;
  readonly stored: number;
  /** Not cached: from the record each time. */
  readonly annotated: number;
  readonly revision: number;
}

/** Asks at every turn while the work runs. Gives each different answer once, in order. */
async function seenDuring(work: Promise<unknown>, word: string): Promise<readonly Seen[]> {
  const answers: Seen[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const hits = (await retrieveText(engine.index, { text: word, limit: 2 * COUNT })).length;
    const entities = await engine.store.getMany(IDS);
    const stored = entities.filter(({ entity }) => entity.description.startsWith(word)).length;
    const annotated = [...(await engine.store.annotated('word'))].filter(([, value]) => value === word).length;
    const answer = { hits, stored, annotated, revision: engine.store.changes(null).revision };
    if (JSON.stringify(answer) !== JSON.stringify(answers.at(-1))) answers.push(answer);
    await setImmediate();
  }
  await done;
  return answers;
}

it('writes a large batch in slices, and a small one in one', async () => {
  const batch = batchOf('tide');
  const analyzed = await engine.store.analyze(batch);
  const { revision } = engine.store.changes(null);
  let slices = 0;
  for (const _ of engine.store.putInSlices(batch, {}, analyzed)) slices++;
  expect(slices).toBeGreaterThan(20);
  expect(engine.store.changes(revision).ids).toEqual(IDS);
  let more = 0;
  for (const _ of engine.store.putInSlices(batchOf('small', 2))) more++;
  expect(more).toBe(0);
});

it('reads and writes many small things in slices too', async () => {
  const ids = Array.from({ length: 600 }, (_, n) => id(n));
  for (let n = 0; n < 600; n += FEW) {
    await engine.store.put(
      ids.slice(n, n + FEW).map((_, k) => indexed(server(`/s${n + k}`, 'tide'), { vectors: false })),
    );
  }
  const notes = ids.map((each) => ({ id: each, key: 'note', value: 1 }));
  expect([...engine.store.putInSlices([], { annotations: notes })].length).toBeGreaterThan(2);
  expect((await engine.store.annotated('note')).size).toBe(600);
  // Two to read what is deleted, four to delete it, and one to commit.
  expect([...engine.store.deleteInSlices(ids)].length).toBeGreaterThan(6);
  expect((await engine.store.scan({ limit: 10 })).entities).toHaveLength(1);
});

it('shows none or all of a batch to those who ask meanwhile', async () => {
  const none = { hits: 0, stored: 0, annotated: 0, revision: 2 };
  expect(await seenDuring(engine.store.put(batchOf('tide')), 'tide')).toEqual([
    none,
    { hits: COUNT, stored: COUNT, annotated: COUNT, revision: 2 + COUNT },
  ]);
});

it('shows the annotations that a shared record has apart at the same moment', async () => {
  const entities = batchOf('tide').map(({ annotations: _, ...one }) => ({ indexed: one, whole: null }));
  const annotations = IDS.map((each) => ({ id: each, key: 'word', value: 'tide' }));
  expect(await seenDuring(engine.copy.apply({ entities, annotations }, null), 'tide')).toEqual([
    { hits: 0, stored: 0, annotated: 0, revision: 2 },
    { hits: COUNT, stored: COUNT, annotated: COUNT, revision: 2 + COUNT },
  ]);
});

it('shows the old or the new text of entities that a batch replaces', async () => {
  await engine.store.put(batchOf('tide'));
  const put = engine.store.put(batchOf('rope'), { gone: [entityId('mcp_server', '/first')] });
  expect(await seenDuring(put, 'rope')).toEqual([
    { hits: 0, stored: 0, annotated: 0, revision: 2 + COUNT },
    { hits: COUNT, stored: COUNT, annotated: COUNT, revision: 2 + 2 * COUNT + 1 },
  ]);
  expect(await retrieveText(engine.index, { text: 'tide lighthouse' })).toEqual([]);
});

it('answers as a store that got the entities a few at a time, also when it is opened again', async () => {
  await engine.store.put(batchOf('tide'));
  await engine.store.put(batchOf('rope').slice(5));
  await engine.store.delete(IDS.slice(0, 290));
  const slow = temporaryFolder();
  const other = await open(slow.path);
  await other.store.put([indexed(server('/first', 'lighthouse'))]);
  for (const batch of [batchOf('tide'), batchOf('rope').slice(5)]) {
    for (let at = 0; at < batch.length; at += FEW) await other.store.put(batch.slice(at, at + FEW));
  }
  for (let at = 0; at < 290; at += FEW) await other.store.delete(IDS.slice(at, Math.min(290, at + FEW)));
  const expected = withoutTimes(await portrait(other));
  expect(withoutTimes(await portrait(engine))).toEqual(expected);
  await engine.close();
  engine = await open();
  expect(withoutTimes(await portrait(engine))).toEqual(expected);
  await other.close();
  slow.remove();
});

it('lets other writes wait for a large one, and keeps their order', async () => {
  const { revision } = engine.store.changes(null);
  const first = entityId('mcp_server', '/first');
  const notes: Promise<void>[] = [];
  let isDone = false;
  const large = engine.store.put(batchOf('tide')).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    // It waits for the disk in some turns, and there may be thousands of them.
    if (notes.length < 100) notes.push(engine.store.annotate([{ id: first, key: 'note', value: notes.length }]));
    await setImmediate();
  }
  await Promise.all([large, ...notes]);
  expect((await engine.store.annotationsOf([first])).get(first)).toEqual({ note: notes.length - 1 });
  const ids = engine.store.changes(revision).ids!;
  expect(ids.slice(ids.indexOf(IDS[0]!)).slice(0, COUNT)).toEqual(IDS);
});

it('leaves nothing of a batch that fails half way', async () => {
  await engine.store.put(batchOf('tide'));
  const before = await portrait(engine);
  const batch = batchOf('rope');
  const bad = { ...batch[COUNT - 1]!, annotations: { word: 1n } };
  await expect(engine.store.put([...batch.slice(0, -1), bad])).rejects.toThrow('BigInt');
  expect(await portrait(engine)).toEqual(before);
  await engine.store.put(batch);
  expect(await retrieveText(engine.index, { text: 'rope', limit: 2 * COUNT })).toHaveLength(COUNT);
});

/** How many entities there are if the process dies now. */
async function leftNow(): Promise<number> {
  const copy = temporaryFolder();
  cpSync(folder.path, copy.path, { recursive: true });
  const left = await open(copy.path);
  const { entities } = await left.store.scan({ limit: 1000 });
  await left.close();
  copy.remove();
  return entities.length;
}

it('has none or all of a batch when the process dies in the middle', async () => {
  const batch = batchOf('tide');
  const analyzed = await engine.store.analyze(batch);
  const counts = new Set<number>();
  let slices = 0;
  for (const _ of engine.store.putInSlices(batch, {}, analyzed)) {
    if (++slices % 5 === 0 || engine.store.changes(null).revision > 2) counts.add(await leftNow());
  }
  // All of it once it is committed, also before this process shows it.
  expect([...counts]).toEqual([2, COUNT + 1]);
  expect(await leftNow()).toBe(COUNT + 1);
});

it('ends a write that has begun when it is closed, with the sums of all pages', async () => {
  const large = engine.store.put(batchOf('tide', 1500));
  const turns = turnsDuring(large);
  // Its analysis takes about as many turns as its write.
  while ((await engine.store.getMany([id(0)])).length === 0) await setImmediate();
  await engine.close();
  await large;
  expect(await turns).toBeGreaterThan(20);
  expect(deepCheck(storeFilesIn(folder.path), { isLive: false })).toMatchObject({ entities: 1501, problems: [] });
  engine = await open();
  expect((await engine.store.scan({ limit: 2000 })).entities).toHaveLength(1501);
});
