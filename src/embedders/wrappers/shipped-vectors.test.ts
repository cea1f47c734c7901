import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256, type VectorCache } from './cache.ts';
import { readShippedVectors, withShippedVectors, writeShippedVectors } from './shipped-vectors.ts';

const EMBEDDER = 'local/test/2';
const hashes = ['a', 'b', 'c'].map(sha256);
const [a, b, c] = hashes as [string, string, string];
const vectors = new Map([
  [b, new Float32Array([3, -4.5])],
  [a, new Float32Array([0.1, 2])],
]);

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-shipped-'));
  file = join(dir, 'vectors.bin');
  await writeShippedVectors(file, { embedder: EMBEDDER, vectors });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const cacheOf = (known: ReadonlyMap<string, Float32Array>): VectorCache => ({
  getMany: async (_, wanted) => new Map([...known].filter(([hash]) => wanted.includes(hash))),
  putMany: async () => undefined,
  close: async () => undefined,
});

describe('shipped vectors', () => {
  it('are read as they were written, number for number', async () => {
    expect(await readShippedVectors(file)).toEqual({ embedder: EMBEDDER, vectors });
  });

  it('fill what the cache does not have, and never replace what it has', async () => {
    const own = new Float32Array([9, 9]);
    const cache = withShippedVectors(cacheOf(new Map([[a, own]])), file);
    const found = await cache.getMany(EMBEDDER, hashes);
    expect([found.get(a), found.get(b), found.has(c)]).toEqual([own, vectors.get(b), false]);
  });

  it('are of one model only', async () => {
    const cache = withShippedVectors(cacheOf(new Map()), file);
    expect((await cache.getMany('openai/other/2', hashes)).size).toBe(0);
  });

  it('are not needed: without the file, or with a damaged one, the model computes the vectors', async () => {
    await writeFile(join(dir, 'damaged.bin'), 'no header');
    for (const name of ['missing.bin', 'damaged.bin']) {
      const cache = withShippedVectors(cacheOf(new Map()), join(dir, name));
      expect((await cache.getMany(EMBEDDER, hashes)).size).toBe(0);
    }
  });
});
