import { expect, it } from 'vitest';
import { turnsDuring } from '../../../test/support/turns-during.ts';
import { inSteps, parseAll } from './parse-batch.ts';

const batchOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: 'tool',
    path: `/t${n}`,
    name: `t${n}`,
    description: 'Opens a door.',
  }));

it('lets others have a turn while a large batch is parsed, and not for a single entity', async () => {
  const parsing = parseAll(batchOf(100), true);
  expect(await turnsDuring(parsing)).toBeGreaterThan(20);
  expect((await parsing).map(({ entity }) => entity.path)).toEqual(batchOf(100).map(({ path }) => path));
  expect(await turnsDuring(parseAll(batchOf(1), false))).toBeLessThan(3);
});

it('names the entity of an error, also after some steps', async () => {
  const batch: unknown[] = batchOf(50);
  batch[40] = { type: 'tool', path: '/nameless' };
  await expect(parseAll(batch, true)).rejects.toMatchObject({ field: 'entities.40.name' });
  batch[40] = batch[3];
  await expect(parseAll(batch, true)).rejects.toMatchObject({ code: 'DUPLICATE_PATH', field: 'entities.40.path' });
});

it('lets others have a turn after each step that takes long, also after the only one', async () => {
  const takesLong = (n: number) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    return n;
  };
  expect(await turnsDuring(inSteps([1, 2, 3, 4, 5, 6, 7, 8], takesLong))).toBeGreaterThan(5);
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  await inSteps([1], takesLong);
  expect(hadTurn).toBe(true);
});
