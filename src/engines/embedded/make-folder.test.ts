import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { makeFolder } from './make-folder.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('makes what is missing, and leaves what is there', () => {
  const deep = join(folder.path, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
});

it('fails at once where a folder cannot be', () => {
  const file = join(folder.path, 'file');
  writeFileSync(file, '');
  const link = join(folder.path, 'link');
  symlinkSync(join(folder.path, 'nowhere'), link);
  const places = [
    file,
    join(file, 'below'),
    link,
    join(link, 'below'),
    ...(existsSync('/proc/1') ? ['/proc/dowser'] : []),
  ];
  for (const place of places) expect(() => makeFolder(place), place).toThrow(/E(EXIST|NOTDIR|NOENT|ACCES|PERM)/);
});
