import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/engine-fixtures.ts';
import { SnapshotFile, writeSnapshotFile } from './snapshot-file.ts';

let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, 'snapshot');
});

afterEach(() => folder.remove());

const PARTS = {
  text: 'terms\nand words, größer',
  half: 'half a pair \ud83d and on',
  bytes: Uint8Array.of(1, 2, 3),
  numbers: Float64Array.of(Math.PI, -0, 1e300),
  empty: new Uint32Array(0),
  nothing: '',
};

it('reads every part back as it was', () => {
  writeSnapshotFile(file, { name: 'a' }, PARTS);
  const read = new SnapshotFile<{ name: string }>(file);
  expect(read.identity).toEqual({ name: 'a' });
  expect(read.names()).toEqual(Object.keys(PARTS));
  for (const [name, part] of Object.entries(PARTS)) expect(read.part(name)).toEqual(part);
  expect(() => read.part('other')).toThrow("no part 'other'");
  read.close();
});

it('takes a part in pieces of any size', () => {
  const whole = Float32Array.from({ length: 100 }, (_, i) => i / 3);
  writeSnapshotFile(file, {}, { streamed: [whole.subarray(0, 33), whole.subarray(33, 34), whole.subarray(34)] });
  const read = new SnapshotFile(file);
  expect(read.part('streamed')).toEqual(whole);
  read.close();
});

it('notices any single changed byte', () => {
  writeSnapshotFile(file, { name: 'a' }, PARTS);
  const good = readFileSync(file);
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad[at] = bad[at]! ^ 1;
    writeFileSync(file, bad);
    expect(() => {
      const read = new SnapshotFile(file);
      try {
        for (const name of read.names()) read.part(name);
      } finally {
        read.close();
      }
    }, `byte ${at}`).toThrow();
  }
});

it('leaves the old file in place when the new one cannot be finished', () => {
  writeSnapshotFile(file, { name: 'old' }, {});
  const failing = (function* () {
    yield new Uint8Array(10);
    throw new Error('no room');
  })();
  expect(() => writeSnapshotFile(file, { name: 'new' }, { failing })).toThrow('no room');
  expect(existsSync(`${file}.tmp`)).toBe(false);
  const read = new SnapshotFile<{ name: string }>(file);
  expect(read.identity.name).toBe('old');
  read.close();
});

it('throws for a file that is missing, empty or a folder', () => {
  expect(() => new SnapshotFile(file)).toThrow('ENOENT');
  writeFileSync(file, '');
  expect(() => new SnapshotFile(file)).toThrow('too early');
  mkdirSync(join(folder.path, 'dir'));
  expect(() => new SnapshotFile(join(folder.path, 'dir'))).toThrow();
});
