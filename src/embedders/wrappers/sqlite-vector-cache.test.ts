import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from './cache.ts';
import { SqliteVectorCache, type SqliteVectorCacheOptions } from './sqlite-vector-cache.ts';

let dir: string;
let file: string;
let caches: SqliteVectorCache[];
let warnings: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-vectors-'));
  file = join(dir, 'sub', 'embeddings.sqlite');
  caches = [];
  warnings = [];
});
afterEach(async () => {
  for (const cache of caches) await cache.close();
  rmSync(dir, { recursive: true, force: true });
});

function open(options: Partial<SqliteVectorCacheOptions> = {}): SqliteVectorCache {
  const onWarning = (error: unknown) => warnings.push((error as Error).message);
  const cache = new SqliteVectorCache({ file, onWarning, ...options });
  caches.push(cache);
  return cache;
}

const A = sha256('a');
const B = sha256('b');
const VECTOR = Float32Array.of(0.1, -0.2, 3e-38);
const entries = (from: number, to: number) =>
  new Map(Array.from({ length: to - from }, (_, i) => [sha256(String(from + i)), Float32Array.of(from + i)]));
const kept = async (cache: SqliteVectorCache, from: number, to: number) =>
  [...(await cache.getMany('e', [...entries(from, to).keys()])).values()].map((vector) => vector[0]);

describe('SqliteVectorCache', () => {
  it('gives back what was put, bit for bit, and leaves out what was not', async () => {
    const cache = open();
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [A, B])).toEqual(new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [])).toEqual(new Map());
    expect(warnings).toEqual([]);
  });

  it('keeps the embedders apart', async () => {
    const cache = open();
    await cache.putMany('e', new Map([[A, VECTOR]]));
    await cache.putMany('f', new Map([[A, Float32Array.of(9)]]));
    expect(await cache.getMany('f', [A])).toEqual(new Map([[A, Float32Array.of(9)]]));
    expect(await cache.getMany('e', [A])).toEqual(new Map([[A, VECTOR]]));
    expect(await cache.getMany('g', [A])).toEqual(new Map());
  });

  it('keeps them between runs, and the newest of two', async () => {
    await open().putMany('e', new Map([[A, Float32Array.of(1)]]));
    await open().putMany('e', new Map([[A, VECTOR]]));
    await caches[0]!.close();
    await caches[1]!.close();
    expect(await open().getMany('e', [A])).toEqual(new Map([[A, VECTOR]]));
  });

  it('is shared by several at once', async () => {
    const [one, two] = [open(), open()];
    await Promise.all([one.putMany('e', entries(0, 50)), two.putMany('e', entries(50, 100))]);
    expect(await kept(one, 0, 100)).toHaveLength(100);
    expect(await kept(two, 0, 100)).toHaveLength(100);
  });

  it('forgets what was used longest ago when there are too many', async () => {
    let now = 0;
    const cache = open({ maxVectors: 100, now: () => now });
    await cache.putMany('e', entries(0, 50));
    now += 2 * 24 * 60 * 60 * 1000;
    await cache.putMany('e', entries(50, 100));
    now += 2 * 24 * 60 * 60 * 1000;
    expect(await kept(cache, 0, 10)).toHaveLength(10);
    await cache.putMany('e', entries(100, 130));
    expect(await kept(cache, 0, 200)).toEqual(
      [...entries(0, 10).values(), ...entries(40, 130).values()].map((vector) => vector[0]),
    );
  });

  it('moves a file that is no database aside and creates a new one', async () => {
    open();
    await caches[0]!.close();
    const garbage = 'this is not a database '.repeat(100);
    writeFileSync(file, garbage);
    const cache = open();
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [A])).toEqual(new Map([[A, VECTOR]]));
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(garbage);
    expect(warnings).toEqual(['file is not a database']);
  });

  it('creates a new file when damage shows only in use', async () => {
    await open().putMany('e', entries(0, 200));
    await caches[0]!.close();
    const descriptor = openSync(file, 'r+');
    for (let page = 1; page < 30; page++) writeSync(descriptor, Buffer.alloc(8192, 0xa5), 0, 8192, page * 8192);
    const cache = open();
    expect(await kept(cache, 0, 200)).toEqual([]);
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [A])).toEqual(new Map([[A, VECTOR]]));
    expect(warnings).toContain('database disk image is malformed');
    expect(readdirSync(join(dir, 'sub'))).toContain('embeddings.sqlite.damaged');
  });

  it('goes without when another process holds the lock, and does not throw', async () => {
    const cache = open();
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(warnings).toEqual(['database is locked']);
    other.exec('ROLLBACK');
    other.close();
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [A])).toEqual(new Map([[A, VECTOR]]));
  });

  it('leaves a file of a newer version alone', async () => {
    open();
    await caches[0]!.close();
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    const cache = open();
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [A])).toEqual(new Map());
    expect(warnings[0]).toContain('newer Dowser');
  });

  it('goes without when its folder cannot be made', async () => {
    writeFileSync(join(dir, 'sub'), 'a file');
    expect(await open().getMany('e', [A])).toEqual(new Map());
    expect(warnings).toHaveLength(1);
  });

  it('remembers nothing once closed, and closes twice', async () => {
    const cache = open();
    await cache.close();
    await cache.close();
    await cache.putMany('e', new Map([[A, VECTOR]]));
    expect(await cache.getMany('e', [A])).toEqual(new Map());
  });
});
