import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from './database.ts';
import { StoreLock } from './store-lock.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-lock-'));
  file = join(dir, 'dowser.lock');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const lock = () => new StoreLock(file, dir);

describe('StoreLock', () => {
  it('locks a folder for one holder at a time', () => {
    const first = lock();
    expect(lock).toThrow(expect.objectContaining({ code: 'STORE_LOCKED' }));
    first.release();
    lock().release();
  });

  it('replaces a file with any damaged byte in its header or its table', () => {
    lock().release();
    const sound = readFileSync(file);
    const table = sound.indexOf('CREATE TABLE holder');
    for (const [from, to] of [
      [0, 110],
      [table - 40, table + 60],
      [sound.length - 20, sound.length],
    ] as const) {
      for (let at = from; at < to; at++) {
        for (const value of [0x00, 0x03, 0x20, 0xff]) {
          const damaged = Buffer.from(sound);
          damaged[at] = value;
          writeFileSync(file, damaged);
          expect(() => lock().release(), `byte ${at} is ${value}`).not.toThrow();
        }
      }
    }
  });

  it.each(['CREATE TABLE holder (pid, more)', 'CREATE VIEW holder AS SELECT 1 AS pid'])(
    'replaces a file with %s',
    (schema) => {
      const other = new Database(file);
      other.exec(schema);
      other.close();
      lock().release();
      lock().release();
    },
  );
});
