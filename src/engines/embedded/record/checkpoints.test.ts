import { statSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../test/support/engine-fixtures.ts';
import { openDatabase } from './open-database.ts';
import { storeFilesIn } from './store-files.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const PAGE_BYTES = 8192;

it('copies a few hundred pages at a time: everything else waits for it', () => {
  const files = storeFilesIn(folder.path);
  const database = openDatabase(files);
  database.exec('CREATE TABLE pages (bytes BLOB)');
  const add = database.prepare('INSERT INTO pages VALUES (?)');
  let largest = 0;
  for (let write = 0; write < 100; write++) {
    database.transaction(() => {
      for (let page = 0; page < 20; page++) add.run(new Uint8Array(PAGE_BYTES - 1000).fill(write));
    });
    largest = Math.max(largest, statSync(files.log).size);
  }
  database.close();
  // The log begins again after each checkpoint.
  expect(largest / PAGE_BYTES).toBeGreaterThan(100);
  expect(largest / PAGE_BYTES).toBeLessThan(400);
});
