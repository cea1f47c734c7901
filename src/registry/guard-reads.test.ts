import { expect, it } from 'vitest';
import { MemoryEngine } from '../engines/memory.ts';
import { DowserError } from '../model/errors.ts';
import { guardReads } from './guard-reads.ts';

function broken(trouble: unknown) {
  const engine = new MemoryEngine({ embedder: null });
  const fails = () => Promise.reject(trouble);
  return guardReads(Object.assign(engine, { stats: fails, getMany: fails, put: fails, close: fails }));
}

it('gives a code to what breaks inside a read, with the trouble as its cause', async () => {
  const trouble = new TypeError('x is not iterable');
  for (const call of [() => broken(trouble).stats(), () => broken(trouble).getMany([])]) {
    await expect(call()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE', cause: trouble });
  }
});

it('gives a code to what is thrown before there is a promise', () => {
  const engine = new MemoryEngine({ embedder: null });
  const guarded = guardReads(
    Object.assign(engine, {
      scan: () => {
        throw new RangeError('too deep');
      },
    }),
  );
  expect(() => guarded.scan({ limit: 1 })).toThrow(expect.objectContaining({ code: 'ENGINE_UNAVAILABLE' }));
});

it('leaves errors that have a code, and the defects of writes, as they are', async () => {
  const own = new DowserError('STORE_CORRUPT', 'The file is torn.');
  await expect(broken(own).stats()).rejects.toBe(own);
  const defect = new TypeError('no');
  await expect(broken(defect).put([])).rejects.toBe(defect);
});

it('is the engine itself where nothing breaks', async () => {
  const guarded = guardReads(new MemoryEngine({ embedder: null }));
  expect([guarded.name, guarded.embedder, (await guarded.stats()).entities]).toEqual(['memory', null, 0]);
});
