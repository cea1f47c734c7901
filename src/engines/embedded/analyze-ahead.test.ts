import { afterEach, beforeEach, expect, it } from 'vitest';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { turnsDuring } from '../../../test/support/turns-during.ts';
import type { Engine } from '../engine.ts';
import { analyzeAhead } from './analyze-ahead.ts';
import { openEmbedded } from './open-embedded.ts';

let folder: ReturnType<typeof temporaryFolder>;
let engine: Engine;
beforeEach(async () => {
  folder = temporaryFolder();
  engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER });
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

const batchOf = (count: number, words: string) =>
  Array.from({ length: count }, (_, n) => indexed(server(`/s${n}`, `${words} ${n} `.repeat(200))));

it('lets others have a turn while a large batch is analyzed, and stores it whole', async () => {
  const turns = await turnsDuring(engine.store.put(batchOf(100, 'tide harbor')));
  expect(turns).toBeGreaterThan(8);
  expect((await engine.store.scan({ limit: 200 })).entities).toHaveLength(100);
});

it('analyzes no unit again that has not changed', async () => {
  const batch = batchOf(50, 'tide harbor');
  const asked: string[] = [];
  const ahead = await analyzeAhead(batch, ({ id }) => asked.push(id) > 0 && id.includes('/s7'));
  expect(asked).toHaveLength(batch.reduce((count, { units }) => count + units.length, 0));
  expect([...ahead.keys()].filter(({ id }) => id.includes('/s7'))).toEqual([]);
  expect(ahead.size).toBeGreaterThan(40);
});

it('leaves a small batch to the write itself', async () => {
  expect((await analyzeAhead(batchOf(1, 'tide'), () => false)).size).toBe(0);
  expect(await turnsDuring(engine.store.put(batchOf(1, 'tide')))).toBeLessThan(3);
});

it('refuses a batch whose engine was closed meanwhile', async () => {
  const put = engine.store.put(batchOf(100, 'tide'));
  const closed = engine.close();
  await expect(put).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  await closed;
});
