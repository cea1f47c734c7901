import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { storeFolder } from './copy-folder.ts';

it.each([
  ['a new folder', [], true, 'copy'],
  ['a new folder', [], false, ''],
  ['a copy', ['copy/dowser.sqlite'], true, 'copy'],
  ['a copy whose setting is gone', ['copy/dowser.sqlite'], false, 'copy'],
  ['a store of its own', ['dowser.sqlite'], true, ''],
  ['a store of its own', ['dowser.sqlite'], false, ''],
  ['a store of its own beside an old copy', ['dowser.sqlite', 'copy/dowser.sqlite'], false, ''],
])('finds the store of %s: %j, with a record: %s', (_, files, followsRecord, expected) => {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  for (const file of files) {
    mkdirSync(dirname(join(folder.path, file)), { recursive: true });
    writeFileSync(join(folder.path, file), '');
  }
  expect(storeFolder(folder.path, followsRecord)).toBe(join(folder.path, expected));
});
